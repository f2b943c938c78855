import { sql } from 'kysely';
import type { Catalogue, Occurrence, OwnWrite, Upstream } from '#kit';
import { type EffectState, grouped, markOf, type Store } from '#store';
import { ownObstacleMs } from './obstacle.ts';
import type { SeenWatch } from './watch-reader.ts';

/**
 * What an occurrence could be known by among our own writes, whether one of its account that has no id may have caused it,
 * and who did it, if that may be another account of ours.
 */
export type OwnQuestion = {
  traces: readonly string[];
  suspect: boolean;
  /** Whether one of any account may have: nobody is named. */
  anyones: boolean;
  doer: string | undefined;
  /** Whether it does not tell where it belongs, under which we may have recorded what caused it. */
  isUnplaced: boolean;
};
type Question = OwnQuestion & { workspaceId: string; integration: string; accountId: string; at: Date };
type Row = {
  workspace_id: string;
  account_id: string;
  by: string | null;
  run_id: string;
  method: string;
  path: string;
  request: { query?: Record<string, unknown>; body?: unknown };
  upstream_id: string | null;
  state: EffectState;
  intended_at: Date;
};

type Watched = Pick<SeenWatch, 'workspace_id' | 'account_id' | 'integration' | 'identity' | 'scopes'>;

/** Whether an occurrence was caused by a write of ours. */
export type Own = {
  /**
   * `undecided` while that write is still under way, and where it must be read first what the occurrence belongs to: with
   * `upstream` it is, unless that fails.
   */
  decide(watch: Watched, occurrence: Occurrence, upstream?: Upstream): Promise<boolean | 'undecided'>;
  /** The same of what may be long ago: among the writes that have an id, unless it bears a mark, since there may be very many others. */
  wasOurs(watch: Watched, occurrence: Occurrence, upstream: Upstream): Promise<boolean>;
  /** What would have to be asked; `undefined` where nothing needs to be. */
  question(watch: Watched, occurrence: Occurrence): OwnQuestion | undefined;
  /** Whether who did it is another account of ours. May be some seconds behind: one that is new has done nothing yet. */
  isByColleague(watch: Watched, question: OwnQuestion): Promise<boolean>;
};

export const throughUs = { outcome: 'skipped', reason: 'made through Switchboard itself' } as const;

const earlier = 10 * 60_000;
const later = 60_000;
const colleaguesMs = 5_000;
const rememberedPeople = 20_000;

const colleague = {
  name: 'is_colleague',
  text: `select true from accounts where workspace_id = $1 and integration = $2 and identity_id = $3 limit 1`,
};

const isNear = (row: Row, { at }: Question): boolean =>
  row.intended_at.getTime() > at.getTime() - earlier && row.intended_at.getTime() < at.getTime() + later;

const isWriter = ({ account_id, by }: Row, { suspect, anyones, accountId, doer }: Question): boolean =>
  anyones || (suspect && account_id === accountId) || (doer !== undefined && by === doer);

/** When writes without an id may have caused what is suspected: one stretch for each writer that does not overlap another. */
const stretchesOf = (suspects: readonly Question[], writerOf: (question: Question) => string) => {
  const stretches: { workspaceId: string; writer: string; after: Date; before: Date }[] = [];
  for (const question of suspects.toSorted((a, b) => a.at.getTime() - b.at.getTime())) {
    const { workspaceId, at } = question;
    const writer = writerOf(question);
    const [after, before] = [new Date(at.getTime() - earlier), new Date(at.getTime() + later)];
    const last = stretches.findLast((each) => each.workspaceId === workspaceId && each.writer === writer);
    if (last !== undefined && last.before > after) last.before = before;
    else stretches.push({ workspaceId, writer, after, before });
  }
  return {
    workspaces: stretches.map(({ workspaceId }) => workspaceId),
    writers: stretches.map(({ writer }) => writer),
    afters: stretches.map(({ after }) => after),
    befores: stretches.map(({ before }) => before),
  };
};

/**
 * Our record of effects tells what was done through us, by whichever account of the workspace. A write whose answer is
 * not known, or names nothing, has no id to be found by, so such writes of the account itself, and of whoever did it, are
 * looked at too.
 */
export const createOwn = ({ store, catalogue }: { store: Store; catalogue: Catalogue }): Own => {
  const ask = grouped(async (asked: Question[]) => {
    const given = asked.flatMap(({ workspaceId, traces }) => traces.map((id) => ({ ws: workspaceId, id })));
    const suspected = asked.filter(({ suspect, anyones }) => suspect && !anyones);
    const ones = stretchesOf(suspected, ({ accountId }) => accountId);
    const all = stretchesOf(
      asked.filter(({ anyones }) => anyones),
      ({ integration }) => integration,
    );
    const done = asked.filter(({ doer }) => doer !== undefined);
    const oldest = new Date(Math.min(...asked.map(({ at }) => at.getTime())) - earlier);
    const { rows } = await sql<Row>`
      select e.*, a.identity_id as by from (
        select f.* from unnest(${given.map(({ ws }) => ws)}::text[], ${given.map(({ id }) => id)}::text[]) g (ws, id),
          lateral (
            select workspace_id, account_id, run_id, method, path, request, upstream_id, state, intended_at from effects
            where workspace_id = g.ws and upstream_id = g.id order by intended_at desc limit 50
          ) f
        union all
        select f.* from (
            select * from unnest(${ones.workspaces}::text[], ${ones.writers}::text[], ${ones.afters}::timestamptz[],
              ${ones.befores}::timestamptz[]) o (ws, id, after, before)
            union all
            select c.workspace_id, c.id, o.after, o.before from unnest(${all.workspaces}::text[], ${all.writers}::text[],
              ${all.afters}::timestamptz[], ${all.befores}::timestamptz[]) o (workspace_id, integration, after, before)
              join accounts c using (workspace_id, integration)
          ) g (ws, id, after, before),
          lateral (
            select workspace_id, account_id, run_id, method, path, request, upstream_id, state, intended_at from effects
            where workspace_id = g.ws and account_id = g.id and upstream_id is null and state <> 'not_sent'
              and intended_at > g.after and intended_at < g.before
          ) f
        union all
        select workspace_id, account_id, run_id, method, path, request, upstream_id, state, intended_at from effects
        where upstream_id is null and state <> 'not_sent' and intended_at > ${oldest} and (workspace_id, account_id) in
          (select c.workspace_id, c.id from unnest(${done.map(({ workspaceId }) => workspaceId)}::text[],
            ${done.map(({ integration }) => integration)}::text[], ${done.map(({ doer }) => doer)}::text[])
              d (workspace_id, integration, identity_id) join accounts c using (workspace_id, integration, identity_id))
      ) e left join accounts a on a.workspace_id = e.workspace_id and a.id = e.account_id`.execute(store.system);
    return asked.map((question) => {
      const traces = new Set(question.traces);
      return rows.filter(
        (row) =>
          row.workspace_id === question.workspaceId &&
          (row.upstream_id === null ? isWriter(row, question) && isNear(row, question) : traces.has(row.upstream_id)),
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
    const anyones = own.isAnyones?.(occurrence) === true;
    const doer = own.doer?.(occurrence);
    return traces.length === 0 && !suspect && !anyones && doer === undefined
      ? undefined
      : { traces, suspect: suspect || anyones, anyones, doer, isUnplaced: own.isUnplaced?.(occurrence) === true };
  };

  const colleagues = new Map<string, { is: boolean; at: number }>();
  const isByColleague: Own['isByColleague'] = async ({ workspace_id, integration, identity }, { doer }) => {
    if (doer === undefined || doer === identity.id) return false;
    const key = `${workspace_id} ${integration} ${doer}`;
    const at = performance.now();
    const known = colleagues.get(key);
    if (known !== undefined && at - known.at < colleaguesMs) return known.is;
    const is = (await store.planned(colleague, [workspace_id, integration, doer])).length > 0;
    if (colleagues.size >= rememberedPeople) colleagues.clear();
    colleagues.set(key, { is, at });
    return is;
  };

  const answer = async (watch: Watched, occurrence: Occurrence, asked: OwnQuestion | undefined) => {
    const own = ownOf(watch);
    if (own === undefined || asked === undefined) return false;
    const { workspace_id: workspaceId, account_id: accountId, integration } = watch;
    const writes = (await ask({ ...asked, workspaceId, integration, accountId, at: occurrence.at })).map(
      (row): OwnWrite => ({
        ...(row.by === null ? {} : { by: row.by }),
        mark: markOf(row.run_id),
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

  /** Of what one of ours did and does not tell where it belongs, how that is read. */
  const placing = async (watch: Watched, occurrence: Occurrence) => {
    const asked = question(watch, occurrence);
    if (asked?.isUnplaced !== true || !(asked.suspect || (await isByColleague(watch, asked)))) return undefined;
    return ownOf(watch)?.placed;
  };

  const answerOf = (watch: Watched, occurrence: Occurrence) => answer(watch, occurrence, question(watch, occurrence));

  const answerOfOld = (watch: Watched, occurrence: Occurrence) => {
    const asked = question(watch, occurrence);
    const suspect = ownOf(watch)?.isMarked?.(occurrence) === true;
    return answer(watch, occurrence, asked && { ...asked, suspect, anyones: false, doer: undefined });
  };

  return {
    decide: async (watch, occurrence, upstream) => {
      const known = await answerOf(watch, occurrence);
      const placed = known === false ? await placing(watch, occurrence) : undefined;
      if (placed === undefined) return known;
      if (upstream === undefined) return 'undecided';
      try {
        return await answerOf(watch, await placed(occurrence, upstream));
      } catch (error) {
        if (ownObstacleMs(error) !== undefined) throw error;
        return 'undecided';
      }
    },
    wasOurs: async (watch, occurrence, upstream) => {
      const known = await answerOfOld(watch, occurrence);
      const placed = known === true ? undefined : await placing(watch, occurrence);
      return (placed === undefined ? known : await answerOfOld(watch, await placed(occurrence, upstream))) === true;
    },
    question,
    isByColleague,
  };
};
