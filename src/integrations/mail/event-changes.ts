import { readBody } from './body/read-body.ts';
import { type Change, changeOf, changesBetween } from './changes.ts';
import { showEvent, type WireEvent } from './event-shapes.ts';
import type { Zone } from './zones.ts';

// They change with every touch, or say the same as another field.
const quiet = ['etag', 'preview', 'body', 'bodyTruncated', 'bodyLength', 'webLink', 'id'];

const wordsOf = ({ body }: WireEvent): string =>
  readBody(body ?? {}, { format: 'text', maxChars: Number.POSITIVE_INFINITY, keepQuoted: true }).text;

const bodyChanges = (before: WireEvent, after: WireEvent, rewritten: boolean): Change[] => {
  const [was, is] = [wordsOf(before), wordsOf(after)];
  if (was !== is) return [changeOf('body', was, is)];
  const [markup, now] = [before.body?.content ?? '', after.body?.content ?? ''];
  return rewritten && markup !== now ? [changeOf('body', markup, now)] : [];
};

/** What is different between two readings of an event. `rewritten`: its body was, so that its markup counts, too. */
export const eventChanges = (
  before: WireEvent,
  after: WireEvent,
  { zone, rewritten }: { zone: Zone; rewritten: boolean },
): Change[] => [
  ...changesBetween(showEvent(before, zone), showEvent(after, zone), quiet),
  ...bodyChanges(before, after, rewritten),
];
