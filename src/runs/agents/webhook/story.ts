import { z } from 'zod';
import type { JournalEntry } from '../../journal.ts';
import { FaultShape } from '../../stored-fault.ts';

const Prepared = z.object({
  tools: z.array(z.object({ name: z.string(), toolId: z.string(), version: z.number() })),
});

const Called = z.object({
  call: z.number(),
  toolId: z.string(),
  input: z.record(z.string(), z.unknown()),
  key: z.string().optional(),
});

const Answered = z.object({
  call: z.number(),
  output: z.unknown().optional(),
  warnings: z.array(z.string()).default([]),
  error: FaultShape.optional(),
});

/** One use of a tool that the platform asked for; `call` is its running number in the run. */
export type Called = z.infer<typeof Called>;
export type Answered = z.infer<typeof Answered>;

/** What a run has been so far, as its journal tells it. */
export type RemoteStory = {
  prepared: z.infer<typeof Prepared> | undefined;
  calls: Called[];
  answers: Map<number, Answered>;
  /** Calls that waited for a person. */
  waited: boolean;
};

export const remoteStory = (journal: readonly JournalEntry[]): RemoteStory => {
  const story: RemoteStory = { prepared: undefined, calls: [], answers: new Map(), waited: false };
  for (const { kind, data } of journal) {
    if (kind === 'prepared') story.prepared = Prepared.parse(data);
    if (kind === 'call') story.calls.push(Called.parse(data));
    if (kind === 'tool') {
      const answer = Answered.parse(data);
      story.answers.set(answer.call, answer);
    }
    // Only the last open call can have waited.
    if (kind === 'waiting_approval') story.waited = true;
    if (kind === 'tool') story.waited = false;
  }
  return story;
};
