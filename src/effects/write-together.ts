import { type Actor, grouped, type Store } from '#store';

/** A write that is about to be tried. `request` is JSON. */
export type NewIntent = {
  id: string;
  workspaceId: string;
  runId: string;
  ordinal: number;
  accountId: string;
  effect: string;
  method: string;
  path: string;
  request: string;
  digest: Buffer;
};

export type Intended = { intended_at: Date; attempts: number };

/** How a write ended. `answer`, `before` and `after` are JSON: the fields of its audit record on both sides of its own. */
export type Ending = {
  id: string;
  workspaceId: string;
  state: string;
  at: Date;
  upstreamId: string | null;
  answer: string | null;
  auditId: string;
  actor: Actor;
  before: string;
  after: string;
};

// Of several workspaces at once, hence the house's own view; each row names its own. Stored twice after a lost connection
// it is still the same intent.
const intend = {
  name: 'intend_effects',
  text: `insert into effects (id, workspace_id, run_id, ordinal, account_id, effect, method, path, request, digest, state,
      intended_at)
    select id, workspace, run, ordinal, account, effect, method, path, request, digest, 'intended', clock_timestamp()
    from unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::text[], $6::text[], $7::text[], $8::text[],
      $9::json[], $10::bytea[]) g (id, workspace, run, ordinal, account, effect, method, path, request, digest)
    where (select true from workspaces w where w.workspace_id = workspace and w.stopped_at is null limit 1)
      and (
        select true from runs r where r.workspace_id = workspace and r.id = run and r.cancel_asked is not null limit 1
      ) is null
    on conflict (id) do update set intended_at = excluded.intended_at
    returning id, intended_at, attempts`,
};

// The deed and its one audit record stand or fall together.
export const settle = {
  name: 'settle_effects',
  text: `with ended as (
      update effects e set state = g.state, finished_at = g.at, upstream_id = g.upstream_id, answer = g.answer
      from (
        -- In one order everywhere, so that two processes never wait for each other.
        select * from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::json[], $7::text[],
          $8::json[], $9::text[], $10::text[])
          u (id, workspace, state, at, upstream_id, answer, audit_id, actor, before, after)
        order by 1
      ) g
      -- The rest is said so that no index fits it but the key's: with another the planner, who thinks that few are open,
      -- goes through all of them for each.
      where e.id = g.id and (e.workspace_id = g.workspace and e.state = 'intended') is true
      returning e.*, g.at, g.audit_id, g.actor, g.before, g.after
    )
    insert into audit (id, workspace_id, at, actor, action, target, details)
    select audit_id, workspace_id, at, actor, 'effect.' || state, id, (before || ',"effect":' || to_json(effect)
      || ',"method":' || to_json(method) || ',"path":' || to_json(path) || ',"digest":"' || encode(digest, 'hex')
      || '","attempts":' || attempts || ',' || after)::json
    from ended`,
};

// What is done is known already; where many end, they share what it costs to write it down.
const sharing = { apartMs: 4 };

/** Commits intents and endings that come together by one statement each. */
export const createTogether = (store: Store) => ({
  /** `undefined` where the workspace is stopped or the run is to be cancelled. */
  intend: grouped(async (all: NewIntent[]): Promise<(Intended | undefined)[]> => {
    const rows = await store.planned<Intended & { id: string }>(intend, [
      all.map(({ id }) => id),
      all.map(({ workspaceId }) => workspaceId),
      all.map(({ runId }) => runId),
      all.map(({ ordinal }) => ordinal),
      all.map(({ accountId }) => accountId),
      all.map(({ effect }) => effect),
      all.map(({ method }) => method),
      all.map(({ path }) => path),
      all.map(({ request }) => request),
      all.map(({ digest }) => digest),
    ]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return all.map(({ id }) => byId.get(id));
  }),

  settle: grouped(async (all: Ending[]): Promise<void[]> => {
    await store.planned(settle, [
      all.map(({ id }) => id),
      all.map(({ workspaceId }) => workspaceId),
      all.map(({ state }) => state),
      all.map(({ at }) => at),
      all.map(({ upstreamId }) => upstreamId),
      all.map(({ answer }) => answer),
      all.map(({ auditId }) => auditId),
      all.map(({ actor }) => JSON.stringify(actor)),
      all.map(({ before }) => before),
      all.map(({ after }) => after),
    ]);
    return all.map(() => undefined);
  }, sharing),
});
