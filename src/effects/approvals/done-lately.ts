import { sql } from 'kysely';
import type { UpstreamRequest } from '#kit';
import type { Store } from '#store';

/** How much of one kind a run and its account have done, and what the settings allow them without asking. */
export type Tally = { ofRun: number; ofAccount: number; mostOfRun: number; mostOfAccount: number };

/** What was sent already, and what the settings allow to be sent without asking. */
export type Sendings = Tally & {
  /** How many other runs that the same conversation started have sent from the account within the hour. */
  rounds: number;
  strict: boolean;
  /** The account's allow-list. */
  allowed: string[];
};

type Doer = { workspaceId: string; runId: string; accountId: string };

/** What agents did lately, by the records of their writes. What may have happened counts; of a batch, each part. */
export type DoneLately = {
  sends(by: Doer & { conversation: string | null }): Promise<Sendings>;
  removals(by: Doer): Promise<Tally>;
  /** What was done before this one was intended; `isNear`: with it and what came after, half of what is allowed is used up. */
  before(by: Doer, effect: 'send' | 'destroy', effectId: string): Promise<Tally & { isNear: boolean }>;
};

/** How many requests one carries. */
export const partsIn = ({ body }: Pick<UpstreamRequest, 'body'>): number => {
  const parts = (body as { requests?: unknown } | null | undefined)?.requests;
  return Array.isArray(parts) ? Math.max(1, parts.length) : 1;
};

const partsOfRow = sql`case json_typeof(request -> 'body' -> 'requests')
  when 'array' then greatest(1, json_array_length(request -> 'body' -> 'requests')) else 1 end`;

const ofRun = ({ workspaceId, runId }: Doer, effect: 'send' | 'destroy') => sql`
  from effects where workspace_id = ${workspaceId} and run_id = ${runId} and effect = ${sql.lit(effect)}
    and state <> 'not_sent'`;

const ofAccount = ({ workspaceId, accountId }: Doer, effect: 'send' | 'destroy') => sql`
  from effects where workspace_id = ${workspaceId} and account_id = ${accountId} and effect = ${sql.lit(effect)}
    and state <> 'not_sent' and intended_at > clock_timestamp() - interval '1 hour'`;

const counts = (by: Doer, effect: 'send' | 'destroy') => sql`
  (select coalesce(sum(${partsOfRow}), 0)::integer ${ofRun(by, effect)}) as "ofRun",
  (select coalesce(sum(${partsOfRow}), 0)::integer ${ofAccount(by, effect)}) as "ofAccount"`;

// One as after the other, also of those that were intended in the same moment.
const countsBefore = (by: Doer, effect: 'send' | 'destroy', effectId: string) => {
  const earlier = sql`coalesce(sum(${partsOfRow}) filter (where (intended_at, id) < (
    select own.intended_at, own.id from effects own where own.workspace_id = ${by.workspaceId} and own.id = ${effectId})), 0)`;
  return sql`
    (select array[${earlier}::integer, coalesce(sum(${partsOfRow}), 0)::integer] ${ofRun(by, effect)}) as run,
    (select array[${earlier}::integer, coalesce(sum(${partsOfRow}), 0)::integer] ${ofAccount(by, effect)}) as account`;
};

export const createDoneLately = (store: Store): DoneLately => ({
  sends: async (by) => {
    const { workspaceId, runId, accountId, conversation } = by;
    const { rows } = await sql<Sendings>`
      select ${counts(by, 'send')},
        (select count(distinct r.id)::integer from effects e
            join runs r on r.workspace_id = e.workspace_id and r.id = e.run_id
          where e.workspace_id = ${workspaceId} and e.account_id = ${accountId} and e.effect = 'send'
            and e.state <> 'not_sent' and e.intended_at > clock_timestamp() - interval '1 hour'
            and r.lane = ${conversation} and r.id <> ${runId}) as rounds,
        w.sends_per_run as "mostOfRun", w.sends_per_hour as "mostOfAccount", w.strict_sends as strict,
        a.allowed_recipients as allowed
      from workspaces w join accounts a on a.workspace_id = w.workspace_id and a.id = ${accountId}
      where w.workspace_id = ${workspaceId}`.execute(store.of(workspaceId));
    const [found] = rows;
    if (found === undefined) throw new Error('there is no such account');
    return found;
  },

  removals: async (by) => {
    const { rows } = await sql<Tally>`
      select ${counts(by, 'destroy')}, deletes_per_run as "mostOfRun", deletes_per_hour as "mostOfAccount"
      from workspaces where workspace_id = ${by.workspaceId}`.execute(store.of(by.workspaceId));
    const [found] = rows;
    if (found === undefined) throw new Error('there is no such workspace');
    return found;
  },

  before: async (by, effect, effectId) => {
    const most =
      effect === 'send'
        ? sql`sends_per_run as r, sends_per_hour as h`
        : sql`deletes_per_run as r, deletes_per_hour as h`;
    type Counted = [before: number, all: number];
    const { rows } = await sql<{ run: Counted; account: Counted; r: number; h: number }>`
      select ${countsBefore(by, effect, effectId)}, ${most}
      from workspaces where workspace_id = ${by.workspaceId}`.execute(store.of(by.workspaceId));
    const [found] = rows;
    if (found === undefined) throw new Error('there is no such workspace');
    const { run, account, r: mostOfRun, h: mostOfAccount } = found;
    const isNear = run[1] * 2 > mostOfRun || account[1] * 2 > mostOfAccount;
    return { ofRun: run[0], ofAccount: account[0], mostOfRun, mostOfAccount, isNear };
  },
});
