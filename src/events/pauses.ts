/** Why a pause leaves out what happens. */
export const pauses = {
  trigger: 'the trigger was paused',
  account: 'the account was paused',
  agent: 'the agent was paused',
} as const;

export type Paused = keyof typeof pauses;

/** Whose pause it was; that of a trigger is named after it. */
export const pausedBy = (reason: string | null): Paused | undefined =>
  (Object.keys(pauses) as Paused[]).find((whose) => reason?.startsWith(pauses[whose]));
