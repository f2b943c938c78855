import type { Clock } from '#clock';

/** By how many milliseconds the clock of a service is ahead of ours, at least and at most. */
export type Skew = { least: number; most: number };

/** What clocks differ by without anybody noticing it. */
const unheard: Skew = { least: -5_000, most: 5_000 };

/** What the clocks of the services show, from what came with their answers. */
export const createServiceTime = (clock: Clock) => {
  const known = new Map<string, Skew>();

  /** `date` is the second in which it was answered, between the sending and now. */
  const hear = (integration: string, sentAt: Date, date: string | undefined): void => {
    const told = Date.parse(date ?? '');
    if (Number.isNaN(told)) return;
    const heard = { least: told - clock.now().getTime(), most: told + 1_000 - sentAt.getTime() };
    const before = known.get(integration) ?? heard;
    const both = { least: Math.max(before.least, heard.least), most: Math.min(before.most, heard.most) };
    const either = { least: Math.min(before.least, heard.least), most: Math.max(before.most, heard.most) };
    // One of the clocks was set anew, or this one answer is wrong: the next tells which.
    known.set(integration, both.least > both.most ? either : both);
  };

  return {
    hear,
    skewOf: (integration: string): Skew => known.get(integration) ?? unheard,
  };
};

export type ServiceTime = ReturnType<typeof createServiceTime>;
