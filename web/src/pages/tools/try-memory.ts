import type {
  SwitchboardError,
  ToolDryRun,
  ToolResult,
  WaitingCall,
  WaitingRun,
} from '../../../../client/src/index.ts';

export type Outcome =
  | ToolResult
  | ToolDryRun
  | WaitingRun
  | WaitingCall
  | { status: 'failed'; error: SwitchboardError; runId?: string | undefined };
export type Tried = { values: Record<string, unknown>; outcome?: Outcome };

/** The last try of each tool, for whoever comes back from its run or its approval. Gone with the page. */
const tries = new Map<string, Tried>();

export const recall = (toolId: string | undefined): Tried => tries.get(toolId ?? '') ?? { values: {} };
export const remember = (toolId: string, tried: Tried): void => void tries.set(toolId, tried);
