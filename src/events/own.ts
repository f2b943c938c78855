import { sql } from 'kysely';
import type { Catalogue, Occurrence, OwnWrite } from '#kit';
import { type EffectState, grouped, type Store } from '#store';
import type { SeenWatch } from './watch-reader.ts';

/** What an occurrence could be known by among our own writes, and whether one under way may have caused it. */
export type OwnQuestion = { traces: readonly string[]; suspect: boolean };
type Question = OwnQuestion & { workspaceId: string; accountId: string; at: Date };
type Row = {
  workspace_id: string;
  account_id: string;
  by: string | null;
  method: string;
  path: string;
  request: { query?: Record<string, unknown>; body?: unknown };
  upstream_id: string | null;
  state: EffectState;
  intended_at: Date;
};

type Watched = Pick<SeenWatch, 'workspace_id' | 'account_id' | 'integration' | 'identity' | 'scopes'>;

/** Whether an occurrence was caused by a write of ours; `undecided` while that write is still under way. */
export type Own = {
  decide(watch: Watched, occurrence: Occurrence): Promise<boolean | 'undecided'>;
  /** The same of what may be long ago: among the writes that have an id, since there may be very many others. */
  wasOurs(watch: Watched, occurrence: Occurrence): Promise<boolean>;
  /** What would have to be asked; `undefined` where nothing needs to be. */
  question(watch: Watched, occurrence: Occurrence): OwnQuestion | undefined;
};

export const throughUs = { outcome: 'skipped', reason: 'made through Switchboard itself' } as const;

const earlier = 10 * 60_000;
const later = 60_000;

const isNear = (row: Row, { at }: Question): boolean =>
  row.intended_at.getTime() > at.getTime() - earlier && row.intended_at.getTime() < at.getTime() + later;

/**
 * Our record of effects tells what was done through us, by whichever account of the workspace. A write whose answer is
 * not known, or names nothing, has no id to be found by, so the account's own such writes are looked at too.
 */
export const createOwn = ({ store, catalogue }: { store: Store; catalogue: Catalogue }): Own => {
  const ask = grouped(async (asked: Question[]) => {
    const given = asked.flatMap(({ workspaceId, traces }) => traces.map((id) => ({ ws: workspaceId, id })));
    const suspects = asked.filter(({ suspect }) => suspect);
    const oldest = new Date(Math.min(...asked.map(({ at }) => at.getTime())) - earlier);
    const { rows } = await sql<Row>`
      select e.*, a.identity_id as by from (
        select f.* from unnest(${given.map(({ ws }) => ws)}::text[], ${given.map(({ id }) => id)}::text[]) g (ws, id),
          lateral (
            select workspace_id, account_id, method, path, request, upstream_id, state, intended_at from effects
            where workspace_id = g.ws and upstream_id = g.id order by intended_at desc limit 50
          ) f
        union all
        select workspace_id, account_id, method, path, request, upstream_id, state, intended_at from effects
        where upstream_id is null and state <> 'not_sent' and intended_at > ${oldest} and (workspace_id, account_id) in
          (select * from unnest(${suspects.map(({ workspaceId }) => workspaceId)}::text[],
            ${suspects.map(({ accountId }) => accountId)}::text[]))
      ) e left join accounts a on a.workspace_id = e.workspace_id and a.id = e.account_id`.execute(store.system);
    return asked.map((question) => {
      const traces = new Set(question.traces);
      return rows.filter(
        (row) =>
          row.workspace_id === question.workspaceId &&
          (row.upstream_id === null
            ? row.account_id === question.accountId && isNear(row, question)
            : traces.has(row.upstream_id)),
      );
    });
  });

  const ownOf = ({ integration }: Watched) => catalogue.integration(integration)?.watching?.own;

  const question: Own['question'] = (watch, occurrence) => {
    const own = ownOf(watch);
    if (own === undefined) return undefined;
    const account = { id: watch.account_id, identity: watch.identity, scopes: watch.scopes };
    const traces = own.traces(occurrence);
    const suspect = own.isSuspect(occurrence, account);
    return traces.length === 0 && !suspect ? undefined : { traces, suspect };
  };

  const answer = async (watch: Watched, occurrence: Occurrence, asked: OwnQuestion | undefined) => {
    const own = ownOf(watch);
    if (own === undefined || asked === undefined) return false;
    const { workspace_id: workspaceId, account_id: accountId } = watch;
    const writes = (await ask({ ...asked, workspaceId, accountId, at: occurrence.at })).map(
      (row): OwnWrite => ({
        ...(row.by === null ? {} : { by: row.by }),
        method: row.method,
        path: row.path,
        // Some services take the same fields in either place.
        body: row.request.body ?? row.request.query,
        upstreamId: row.upstream_id,
        state: row.state,
        at: row.intended_at,
      }),
    );
    const found = writes.map((write) => own.isCausedBy(occurrence, write));
    return found.includes(true) || (found.includes('undecided') && 'undecided');
  };

  return {
    decide: (watch, occurrence) => answer(watch, occurrence, question(watch, occurrence)),
    wasOurs: async (watch, occurrence) => {
      const asked = question(watch, occurrence);
      return (await answer(watch, occurrence, asked && { ...asked, suspect: false })) === true;
    },
    question,
  };
};
