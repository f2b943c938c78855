import { sql } from 'kysely';

/** The key of an event that replays another one: what was replayed is known by it. */
export const replayKey = (eventId: string, at: Date): string => `replay ${eventId} ${at.getTime().toString(36)}`;
export const replayedBy = (key: string): string => key.split(' ')[1] ?? '';

/**
 * The events `r` that replay an event `e`, or what that replays and later: of several replays the newest one stands.
 * All have the same id at the service, by which there is an index.
 */
export const replaysOfEvent = sql`events r where r.workspace_id = e.workspace_id and r.upstream_id = e.upstream_id
  and r.delivery = 'replay' and (split_part(r.key, ' ', 2) = e.id
    or e.delivery = 'replay' and split_part(r.key, ' ', 2) = split_part(e.key, ' ', 2) and r.id > e.id)`;

/** What an event `e` is or replays. */
export const firstOfEvent = sql<string>`case e.delivery when 'replay' then split_part(e.key, ' ', 2) else e.id end`;
