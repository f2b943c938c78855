import { createHash } from 'node:crypto';
import { z } from 'zod';

/** Where catching up stands. Times are the service's own. */
const Position = z.object({
  /** Nothing received before this second matters. */
  since: z.iso.datetime(),
  /** The newest mail that has been swept up to. */
  swept: z.iso.datetime(),
  /** Where the list of folders goes on. */
  tree: z.string().nullable(),
  /** Where each folder goes on; `null` begins anew. */
  folders: z.record(z.string(), z.string().nullable()),
  /** Folders that this look has not finished; absent between looks. */
  todo: z.array(z.string()).optional(),
  /** A sweep that is not finished: what it has still to pass, from the newest down. */
  sweep: z.object({ newest: z.iso.datetime(), to: z.iso.datetime(), includesTo: z.boolean() }).optional(),
  /** Messages told lately, so that they are not read again: marks of their ids, and when they were received. */
  told: z.array(z.tuple([z.string(), z.int()])),
});
export type Position = z.output<typeof Position>;

/** Only a part of a message, as lists tell it. */
export const Light = z.object({
  id: z.string(),
  receivedDateTime: z.string().nullish(),
  isDraft: z.boolean().nullish(),
  parentFolderId: z.string().nullish(),
  '@removed': z.unknown().optional(),
});
export type Light = z.output<typeof Light>;
export const lightFields = 'id,receivedDateTime,isDraft,parentFolderId';

/** The service tells times in whole seconds, and the second in which a trigger was enabled counts. */
const wholeSecond = (at: Date): string => new Date(Math.floor(at.getTime() / 1_000) * 1_000).toISOString();

export const startAt = (since: Date): Position => ({
  since: wholeSecond(since),
  swept: wholeSecond(since),
  tree: null,
  folders: {},
  told: [],
});

export const openPosition = (cursor: unknown): Position => Position.parse(cursor);

/** `2026-11-02T09:00:00Z`, as filters of the service take it. */
export const inFilter = (time: string | number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');

/** The same place, but without what was told from then on. */
export const toldAgain = (cursor: unknown, since: Date): Position => {
  const { told, swept, sweep, ...position } = openPosition(cursor);
  const from = wholeSecond(since);
  return {
    ...position,
    // One that is under way goes down, and has passed that by: it begins once more.
    ...(sweep === undefined || sweep.newest >= from ? {} : { sweep }),
    swept: swept < from ? swept : from,
    told: told.filter(([, at]) => at * 1_000 < Date.parse(from)),
  };
};

const markOf = (id: string): string => createHash('sha256').update(id).digest('base64url').slice(0, 12);

const fewest = 500;
const most = 5_000;

/** What has been told lately. */
export class Told {
  readonly #marks: Map<string, number>;

  constructor(told: Position['told']) {
    this.#marks = new Map(told);
  }

  has(id: string): boolean {
    return this.#marks.has(markOf(id));
  }

  add(id: string, receivedAt: Date): void {
    this.#marks.set(markOf(id), Math.floor(receivedAt.getTime() / 1_000));
  }

  /** All that a sweep from that time on would meet again, and a few more: mail is often moved soon after it came. */
  kept(from: number): Position['told'] {
    const newestFirst = [...this.#marks].toSorted(([, a], [, b]) => b - a);
    const seconds = Math.floor(from / 1_000);
    return newestFirst.filter(([, at], place) => place < fewest || (place < most && at >= seconds));
  }
}
