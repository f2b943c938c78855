import { z } from 'zod';
import type { JournalEntry } from '../../journal.ts';
import type { Asked, Told } from './port.ts';

const Prepared = z.object({
  tools: z.array(z.object({ name: z.string(), toolId: z.string(), version: z.number() })),
});

const Turn = z.object({
  text: z.string(),
  calls: z.array(z.object({ n: z.number(), name: z.string(), arguments: z.string() })),
  inputTokens: z.number(),
  outputTokens: z.number(),
  ms: z.number(),
});

const Answered = z.object({
  call: z.number(),
  ms: z.number(),
  mistake: z.boolean().default(false),
  output: z.unknown().optional(),
  warnings: z.array(z.string()).optional(),
  error: z.object({ code: z.string(), message: z.string(), candidates: z.array(z.unknown()).optional() }).optional(),
});

export type Turn = { text: string; calls: Asked[] };

/** What a run of a model has been so far, as its journal tells it: all that is needed to go on. */
export type Story = {
  prepared: z.infer<typeof Prepared> | undefined;
  turns: Turn[];
  told: Map<number, Told>;
  tokens: number;
  ms: number;
  mistakes: number;
};

/** Takes an entry of the journal into the story. */
export const goOn = (story: Story, kind: string, data: Record<string, unknown>): void => {
  if (kind === 'prepared') story.prepared = Prepared.parse(data);
  if (kind === 'turn') {
    const { text, calls, inputTokens, outputTokens, ms } = Turn.parse(data);
    story.turns.push({ text, calls });
    story.tokens += inputTokens + outputTokens;
    story.ms += ms;
  }
  if (kind === 'tool') {
    const { call, ms, mistake, output, warnings, error } = Answered.parse(data);
    story.told.set(call, error === undefined ? { output, warnings } : { error });
    story.ms += ms;
    if (mistake) story.mistakes += 1;
  }
};

export const storyOf = (journal: readonly JournalEntry[]): Story => {
  const story: Story = { prepared: undefined, turns: [], told: new Map(), tokens: 0, ms: 0, mistakes: 0 };
  for (const { kind, data } of journal) goOn(story, kind, data);
  return story;
};
