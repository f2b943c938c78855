import { z } from 'zod';
import { type Occurrence, path } from '#kit';
import { below, prefer } from '../wire.ts';
import { Light, lightFields } from './cursor.ts';
import { readEach } from './read-each.ts';
import type { Mailbox } from './read-message.ts';

const List = z.object({ value: z.array(Light) });
const mostLooked = 200;

/** The newest incoming messages, newest first. */
export const recent = async (at: Mailbox, limit: number): Promise<Occurrence[]> => {
  const { mailbox, facts, context } = at;
  const query = { $orderby: 'receivedDateTime desc', $select: lightFields, $top: mostLooked };
  const answer = await context.upstream.get(below(mailbox, path`/messages`), { query, headers: prefer() });
  const ids = List.parse(answer)
    .value.filter(({ isDraft, parentFolderId }) => isDraft !== true && !facts.outgoing.has(parentFolderId ?? ''))
    .map(({ id }) => id);
  const found: Occurrence[] = [];
  for (let from = 0; found.length < limit && from < ids.length; from += limit) {
    const { occurrences } = await readEach(at, ids.slice(from, from + limit));
    found.push(...occurrences);
  }
  return found.toSorted((a, b) => (a.order < b.order ? 1 : -1)).slice(0, limit);
};
