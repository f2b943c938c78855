import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { silentLog } from '#log';
import { openStore, type Store } from '#store';
import { startProcess } from '../harness/processes.ts';
import type { Proof } from '../harness/row.ts';
import { type Answer, call, connectMail, randomBetween, stage } from '../harness/stage.ts';

type Stage = Awaited<ReturnType<typeof stage>>;
type Asked = { runId: string; approval: { id: string; digest: string }; accountId: string; subject: string };
/** How Switchboard says that a send ended. */
type Said = 'sent' | 'not_sent' | 'unknown';
type Scene = { set: Stage; store: Store; first: string; second: string };

/** Somebody else who decides at the same moment, over the other process. */
type Race = {
  name: string;
  person: string;
  /** How long the approval waits at most after the rival has begun, and the rival after the approval. */
  heads: readonly [number, number];
  rival(scene: Scene, asked: Asked): Promise<Answer>;
  /** What must have left, given whether the approval and the rival were told that they won. */
  mails(approved: boolean, rival: boolean): readonly number[];
};

const patienceMs = 90_000;
/** Of all that was approved, how much may end as not sent or unknown for want of an answer of the service. */
const mayFail = 0.01;

const decide = (origin: string, { approval }: Asked, how: string, body: object) =>
  call(origin, 'POST', `/v1/approvals/${approval.id}/${how}`, body);

const races: readonly Race[] = [
  {
    name: 'reject',
    person: 'ada@sandbox.test',
    heads: [10, 10],
    rival: ({ second }, asked) => decide(second, asked, 'reject', { reason: 'No' }),
    mails: (approved, rejected) => (approved === rejected ? [] : [approved ? 1 : 0]),
  },
  {
    name: 'expiry',
    person: 'ada@sandbox.test',
    heads: [30, 0],
    rival: async ({ store }, { approval }) => {
      const wait = sql`make_interval(secs => ${randomBetween(0, 0.03)})`;
      await sql`update approvals set expires_at = clock_timestamp() + ${wait} where id = ${approval.id}`.execute(
        store.system,
      );
      return { status: 200, body: {} };
    },
    mails: (approved) => [approved ? 1 : 0],
  },
  {
    name: 'edit',
    person: 'ada@sandbox.test',
    heads: [25, 25],
    rival: ({ second }, asked) => decide(second, asked, 'edit', { changes: { subject: `${asked.subject} edited` } }),
    mails: (approved, edited) => (approved === edited ? [] : [approved ? 1 : 0]),
  },
  {
    name: 'disconnect',
    person: 'ben@sandbox.test',
    heads: [40, 40],
    rival: ({ second }, { accountId }) => call(second, 'DELETE', `/v1/accounts/${accountId}`),
    // What was approved may still meet a credential that is gone.
    mails: (approved) => (approved ? [0, 1] : [0]),
  },
];

const outbox = async ({ set }: Scene, subject: string): Promise<number> => {
  const { items } = (await (await fetch(`${set.mail.url}/_control/outbox`)).json()) as { items: { subject: string }[] };
  return items.filter((each) => each.subject === subject || each.subject === `${subject} edited`).length;
};

const ask = async ({ set, first }: Scene, person: string, subject: string, known?: string): Promise<Asked> => {
  const accountId = known ?? (await connectMail(first, set.mail, person));
  const input = { to: ['cy@sandbox.test'], subject, body: 'Hello' };
  const { status, body } = await call(first, 'POST', '/v1/steps/mail.send_email/run', { accountId, input });
  if (status !== 202) throw new Error(`asking failed: ${JSON.stringify(body)}`);
  return { ...(body as { runId: string; approval: Asked['approval'] }), accountId, subject };
};

type Entry = { kind: string; data: Record<string, unknown> };
type Told = { finishedAt: string | null; status: string; error: { code: string; message: string } | null };

/** Waits until the run has ended or, where an edit won, waits on. */
const settled = async ({ first }: Scene, runId: string, isEdited: boolean): Promise<Told & { journal: Entry[] }> => {
  const until = performance.now() + patienceMs;
  for (;;) {
    const { body } = await call(first, 'GET', `/v1/runs/${runId}`);
    const run = body as Told & { journal: Entry[] };
    const isOver = run.finishedAt !== null || (isEdited && run.status === 'waiting_approval');
    if (isOver || performance.now() > until) return run;
    await sleep(30);
  }
};

/** What Switchboard says of the run's send: it left, it did not, or nobody knows. */
const saidOf = async ({ store }: Scene, runId: string): Promise<Said> => {
  const { rows } = await sql<{ state: string }>`
    select state from effects where run_id = ${runId} and effect = 'send'`.execute(store.system);
  const states = rows.map(({ state }) => state);
  if (states.includes('sent')) return 'sent';
  return states.some((state) => state !== 'not_sent') ? 'unknown' : 'not_sent';
};

/** What is needed to understand a race that went wrong. */
const account = async ({ store }: Scene, runId: string, run: Told & { journal: Entry[] }): Promise<string> => {
  const { rows } = await sql<object>`
    select method, path, state, attempts from effects where run_id = ${runId} order by ordinal`.execute(store.system);
  const { status, error, journal } = run;
  return `run ${runId} ${status} ${JSON.stringify({ error, effects: rows, journal: journal.slice(-6) })}`;
};

/** Two deciders at the same moment over two processes. What leaves is counted at the service. */
export const decisions: Proof = {
  name: 'decisions',
  about: 'an approval raced by a rejection, its expiry, an edit or a disconnection has one outcome and one effect',
  run: async ({ scale, progress, database: given }) => {
    await using set = await stage({ database: given });
    await fetch(`${set.mail.url}/_control/limits`, { method: 'POST', body: '{"off":true}' });
    const database = await set.sharedDatabase();
    const environment = {
      ...set.environment,
      DATABASE_URL: database.connectionString,
      DATABASE_POOL: '6',
      DEMO: 'off',
      INTERVALS: JSON.stringify({ sweepMs: 100, writeDeadlineMs: 3_000 }),
    };
    const [one, two] = await Promise.all([startProcess('start', environment), startProcess('api', environment)]);
    const store = openStore({ connectionString: database.connectionString, max: 1, log: silentLog });
    // The races are the proof, not how often a key may ask.
    await sql`update api_keys set per_second = 1000, burst = 2000`.execute(store.system);
    const scene: Scene = { set, store, first: one.origin, second: two.origin };
    const rounds = scale < 1 ? 5 : Math.round(200 * scale);
    const row = { lost: 0, duplicated: 0, unknown: 0 };
    const objections: string[] = [];
    let failed = 0;
    let all = 0;
    try {
      for (const { name, person, heads, rival, mails } of races) {
        const known = name === 'disconnect' ? undefined : await connectMail(scene.first, set.mail, person);
        let won = 0;
        for (let n = 0; n < rounds; n++) {
          const asked = await ask(scene, person, `${name} ${n}`, known);
          const { digest } = asked.approval;
          const wait = randomBetween(-heads[1], heads[0]);
          const [approval, other] = await Promise.all([
            sleep(Math.max(0, wait)).then(() => decide(scene.first, asked, 'approve', { digest })),
            sleep(Math.max(0, -wait)).then(() => rival(scene, asked)),
          ]);
          const approved = approval.status === 200;
          const otherWon = other.status < 300;
          won += approved ? 1 : 0;
          const isEdited = name === 'edit' && otherWon;
          const run = await settled(scene, asked.runId, isEdited);
          const said = await saidOf(scene, asked.runId);
          const left = await outbox(scene, asked.subject);
          const isOver = run.finishedAt !== null || isEdited;
          // A service that does not answer in time may keep an approved mail from leaving; that must then be told.
          const isTold = approved && run.status === 'failed' && said !== 'sent' && left <= 1;
          const isHonest = said === 'unknown' || (said === 'sent') === (left === 1);
          if (isTold && name !== 'disconnect') {
            failed += 1;
            progress(`${asked.subject}: ${await account(scene, asked.runId, run)}`);
          }
          if (said === 'unknown' || !isOver) row.unknown += 1;
          if (!isOver || !isHonest || !(mails(approved, otherWon).includes(left) || isTold)) {
            const how = `approve ${approval.status}, ${name} ${other.status}: ${left} mails left, said ${said}`;
            objections.push(`${asked.subject}: ${how}; ${await account(scene, asked.runId, run)}`);
          }
          row.lost += approved && name !== 'disconnect' && left === 0 && !isTold ? 1 : 0;
          row.duplicated += Math.max(0, left - (approved ? 1 : 0));
          // What an edit made of it is decided for the next round not to meet it.
          if (isEdited) await decide(scene.first, asked, 'reject', {});
        }
        all += won;
        progress(`${name}: ${won} of ${rounds} approvals won`);
        if (scale === 1 && (won === 0 || won === rounds)) objections.push(`${name} was no race: one side always won`);
      }
      if (scale === 1 && failed > all * mayFail) objections.push(`${failed} of ${all} approved mails did not leave`);
      const tried = rounds * races.length;
      const guarantee = `decisions raced by reject, expiry, edit, disconnect (${all} approved, ${failed} told as failed)`;
      return { guarantee, tried, ...row, objections };
    } finally {
      await store.close();
      await Promise.all([one.stop(), two.stop()]);
      await database.stop();
    }
  },
};
