import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { silentLog } from '#log';
import { openStore, startEmbeddedPostgres } from '#store';
import { startProcess } from '../prove/harness/processes.ts';
import { call, connectMail, stage } from '../prove/harness/stage.ts';
import { noteFigure } from './lib/figures.ts';
import { instant, memoryMb, percentile } from './lib/measure.ts';

/*
 * 10,000 runs wait for 10,000 approvals: what listing and deciding takes beside the same with a handful, and what the
 * waiting costs in memory. Rejections are decided as approvals are, and send nothing that would be measured along.
 */

const waiting = 10_000;
const asked = 200;
const goals = { listP95: 200, decideP95: 300 };

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const timed = async (times: number, work: (n: number) => Promise<unknown>): Promise<number[]> => {
  const took: number[] = [];
  for (let n = 0; n < times; n++) {
    const begun = instant();
    await work(n);
    took.push(instant() - begun);
  }
  return took;
};

const shown = (took: readonly number[]): string =>
  `p50 ${percentile(took, 0.5).toFixed(1)} ms, p95 ${percentile(took, 0.95).toFixed(1)} ms`;

await using set = await stage();
const database = await startEmbeddedPostgres({ dataDir: set.dataDir, log: () => {} });
const ours = await startProcess('start', {
  ...set.environment,
  DATABASE_URL: database.connectionString,
  DEMO: 'off',
  LOG_LEVEL: 'warn',
});
const store = openStore({ connectionString: database.connectionString, max: 1, log: silentLog });
const pid = ours.child.pid ?? 0;
type Listed = { items: { id: string }[]; nextCursor?: string };
const list = async (cursor = ''): Promise<Listed> => {
  const path = `/v1/approvals?status=pending&limit=25${cursor === '' ? '' : `&cursor=${cursor}`}`;
  return (await call(ours.origin, 'GET', path)).body as Listed;
};

/** The same approval again and again, each with a run of its own that waits for it. */
const multiply = async (times: number): Promise<void> => {
  // Of one workspace, but made as nobody makes them: hence the house's own view.
  await sql`
    with first as (select r.*, a.id as approval from runs r join approvals a on a.run_id = r.id order by r.id limit 1),
    many as (select lpad(n::text, 26, '0') as n from generate_series(1, ${times}) n),
    made as (
      insert into runs (id, workspace_id, step_id, account_id, status, started_by, input, may_send, attempts, created_at)
      select 'run_' || m.n, workspace_id, step_id, account_id, status, started_by, input, may_send, attempts, created_at
      from first, many m
    )
    insert into approvals (id, workspace_id, run_id, ordinal, account_id, step_id, input, requests, view, headline, cause,
      digest, status, composed_at, created_at, expires_at)
    select 'apr_' || m.n, a.workspace_id, 'run_' || m.n, a.ordinal, a.account_id, a.step_id, a.input, a.requests, a.view,
      a.headline, a.cause, a.digest, a.status, a.composed_at, a.created_at, a.expires_at
    from approvals a join first f on f.approval = a.id, many m`.execute(store.system);
  await sql`analyze approvals, runs`.execute(store.system);
};

const measure = async () => {
  const lists = await timed(asked, () => list());
  let cursor: string | undefined = '';
  const pages = await timed(40, async () => {
    cursor = (await list(cursor)).nextCursor ?? '';
  });
  return { lists, pages };
};

try {
  const accountId = await connectMail(ours.origin, set.mail, 'ada@sandbox.test');
  const input = { to: ['ben@sandbox.test'], subject: 'Hello', body: 'Hello '.repeat(500) };
  for (let n = 0; n < 5; n++) await call(ours.origin, 'POST', '/v1/steps/mail.send_email/run', { accountId, input });
  const few = await measure();
  const before = memoryMb(pid);
  await multiply(waiting);
  await sleep(5_000);
  const after = memoryMb(pid);
  const many = await measure();
  const { items } = await list();
  const ids = Array.from({ length: asked }, (_, n) => `apr_${String(n * 40 + 1).padStart(26, '0')}`);
  if (items.length !== 25) throw new Error('nothing waits');
  const decisions = await timed(asked, async (n) => {
    const { status } = await call(ours.origin, 'POST', `/v1/approvals/${ids[n]}/reject`, {});
    if (status !== 200) throw new Error(`a decision failed: ${status}`);
  });
  const ratio = percentile(many.lists, 0.5) / percentile(few.lists, 0.5);
  say(`  list, 5 waiting:        ${shown(few.lists)}`);
  say(
    `  list, ${waiting} waiting:   ${shown(many.lists)} (${ratio.toFixed(2)} times); page by page ${shown(many.pages)}`,
  );
  say(`  decide, ${waiting} waiting: ${shown(decisions)}`);
  say(`  memory: ${before} MB with 5 waiting, ${after} MB with ${waiting}`);
  noteFigure({ what: `listing with ${waiting} waiting to 5`, value: ratio, unit: 'ratio' });
  const [listP95, decideP95] = [percentile(many.lists, 0.95), percentile(decisions, 0.95)];
  noteFigure({ what: 'list p95', value: listP95, unit: 'ms', goal: { most: goals.listP95 } });
  noteFigure({ what: 'decide p95', value: decideP95, unit: 'ms', goal: { most: goals.decideP95 } });
  const holds = percentile(many.lists, 0.95) < goals.listP95 && percentile(decisions, 0.95) < goals.decideP95;
  say(
    `  goal: list p95 under ${goals.listP95} ms, decision p95 under ${goals.decideP95} ms: ${holds ? 'met' : 'MISSED'}`,
  );
  if (!holds) process.exitCode = 1;
} finally {
  await store.close();
  await ours.stop();
  await database.stop();
}
