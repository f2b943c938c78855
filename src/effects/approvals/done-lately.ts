import { sql } from 'kysely';
import type { UpstreamRequest } from '#kit';
import type { Database, Store } from '#store';

/** How much of one kind a run and its account have done, and what the settings allow them without asking. */
export type Tally = { ofRun: number; ofAccount: number; mostOfRun: number; mostOfAccount: number };

/** What was sent already, and what the settings allow to be sent without asking. */
export type Sendings = Tally & {
  /** How many other runs that the same conversation started have sent from the account within the hour, or the same talk. */
  rounds: number;
  strict: boolean;
  /** The account's allow-list. */
  allowed: string[];
};

/** Who is answered, and on what. */
export type Talk = { address: string; subject: string };

type Counted = 'send' | 'destroy';
type Doer = { workspaceId: string; runId: string; accountId: string };

/** What agents did lately, by the records of their writes. What may have happened counts; of a batch, each part. */
export type DoneLately = {
  sends(by: Doer & { conversation: string | null; talk?: Talk | undefined }): Promise<Sendings>;
  removals(by: Doer): Promise<Tally>;
  /** How many other runs that a comment started have commented within the hour on the card of these names, in small letters. */
  comments(by: Doer & { card: readonly string[] }): Promise<number>;
  /**
   * Holds what was just intended against all else that was done or is intended. Of one account or run one is decided at a
   * time, and what is too much counts no more from then on: of many at once as many pass as may.
   */
  admit(
    by: Doer & { effectId: string },
    effect: Counted,
    tooMuch: (others: Tally) => string | undefined,
  ): Promise<string | undefined>;
};

/** How many requests one carries. */
export const partsIn = ({ body }: Pick<UpstreamRequest, 'body'>): number => {
  const parts = (body as { requests?: unknown } | null | undefined)?.requests;
  return Array.isArray(parts) ? Math.max(1, parts.length) : 1;
};

const partsOfRow = sql`case json_typeof(request -> 'body' -> 'requests')
  when 'array' then greatest(1, json_array_length(request -> 'body' -> 'requests')) else 1 end`;

// By the time at which the statement began, which the index can be asked for.
const anHourAgo = sql`statement_timestamp() - interval '1 hour'`;

export const counts = ({ workspaceId, runId, accountId }: Doer, effect: Counted, except = '') => {
  const all = sql`select coalesce(sum(${partsOfRow}), 0)::integer from effects where workspace_id = ${workspaceId}
    and effect = ${sql.lit(effect)} and state <> 'not_sent' and id <> ${except}`;
  return sql`
    (${all} and run_id = ${runId}) as "ofRun",
    (${all} and account_id = ${accountId} and intended_at > ${anHourAgo}) as "ofAccount"`;
};

const most = (effect: Counted) =>
  effect === 'send'
    ? sql`sends_per_run as "mostOfRun", sends_per_hour as "mostOfAccount"`
    : sql`deletes_per_run as "mostOfRun", deletes_per_hour as "mostOfAccount"`;

const tally = async (db: Database, by: Doer, effect: Counted, except?: string): Promise<Tally> => {
  const { rows } = await sql<Tally>`
    select ${counts(by, effect, except)}, ${most(effect)}
    from workspaces where workspace_id = ${by.workspaceId}`.execute(db);
  const [found] = rows;
  if (found === undefined) throw new Error('there is no such workspace');
  return found;
};

/**
 * Whether a run was started by the same person on the same subject, apart from what stands before it in an answer. Mail that
 * is not sent as an answer begins a new conversation each time.
 */
const isSameTalk = ({ address, subject }: Talk) => {
  const message = sql`(r.input -> 'event' -> 'data' -> 'message')`;
  const theirs = sql`' ' || lower(trim(coalesce(${message} ->> 'subject', '')))`;
  const ours = sql`' ' || lower(trim(${subject}::text))`;
  return sql`(r.event_id is not null
    and lower(coalesce(${message} #>> '{replyTo,0,address}', ${message} #>> '{from,address}')) = ${address}
    and (right(${theirs}, length(${ours})) = ${ours} or right(${ours}, length(${theirs})) = ${theirs}))`;
};

export const createDoneLately = (store: Store): DoneLately => ({
  sends: async (by) => {
    const { workspaceId, runId, accountId, conversation, talk } = by;
    const { rows } = await sql<Sendings>`
      select ${counts(by, 'send')},
        (select count(distinct r.id)::integer from effects e
            join runs r on r.workspace_id = e.workspace_id and r.id = e.run_id
          where e.workspace_id = ${workspaceId} and e.account_id = ${accountId} and e.effect = 'send'
            and e.state <> 'not_sent' and e.intended_at > ${anHourAgo}
            and (r.lane = ${conversation} or ${talk === undefined ? sql`false` : isSameTalk(talk)})
            and r.id <> ${runId}) as rounds,
        w.sends_per_run as "mostOfRun", w.sends_per_hour as "mostOfAccount", w.strict_sends as strict,
        a.allowed_recipients as allowed
      from workspaces w join accounts a on a.workspace_id = w.workspace_id and a.id = ${accountId}
      where w.workspace_id = ${workspaceId}`.execute(store.of(workspaceId));
    const [found] = rows;
    if (found === undefined) throw new Error('there is no such account');
    return found;
  },

  comments: async ({ workspaceId, runId, accountId, card }) => {
    const { rows } = await sql<{ rounds: number }>`
      select count(distinct r.id)::integer as rounds from effects e
        join runs r on r.workspace_id = e.workspace_id and r.id = e.run_id
      where e.workspace_id = ${workspaceId} and e.account_id = ${accountId}
        -- In the words of their index.
        and e.path ~ '^/1/cards/[^/]+/actions/comments/*$' and lower(split_part(e.path, '/', 4)) = any(${card}::text[])
        and e.state <> 'not_sent' and e.intended_at > ${anHourAgo}
        and r.event_id is not null and r.id <> ${runId}
        and r.input #>> '{event,data,action,type}' ilike '%comment%'`.execute(store.of(workspaceId));
    return rows[0]?.rounds ?? 0;
  },

  removals: (by) => tally(store.of(by.workspaceId), by, 'destroy'),

  admit: ({ effectId, ...by }, effect, tooMuch) =>
    store
      .of(by.workspaceId)
      .transaction()
      .execute(async (tx) => {
        // In one order everywhere, so that two runs never wait for each other.
        for (const whose of [by.accountId, by.runId])
          await sql`select pg_advisory_xact_lock(hashtextextended(${`${effect} ${whose}`}, 0))`.execute(tx);
        const why = tooMuch(await tally(tx, by, effect, effectId));
        if (why === undefined) return undefined;
        await sql`update effects set state = 'not_sent', finished_at = clock_timestamp()
          where workspace_id = ${by.workspaceId} and id = ${effectId} and state = 'intended'`.execute(tx);
        return why;
      }),
});
