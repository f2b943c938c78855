import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { silentLog } from '#log';
import { openStore, type Store, startEmbeddedPostgres } from '#store';
import { startProcess } from '../harness/processes.ts';
import type { Proof } from '../harness/row.ts';
import { type Answer, call, connectMail, randomBetween, stage } from '../harness/stage.ts';

type Stage = Awaited<ReturnType<typeof stage>>;
type Asked = { runId: string; approval: { id: string; digest: string }; accountId: string; subject: string };
type Scene = { set: Stage; store: Store; first: string; second: string };

/** Somebody else who decides at the same moment, over the other process. */
type Race = {
  name: string;
  person: string;
  rival(scene: Scene, asked: Asked): Promise<Answer>;
  /** What must have left, given whether the approval and the rival were told that they won. */
  mails(approved: boolean, rival: boolean): readonly number[];
};

const decide = (origin: string, { approval }: Asked, how: string, body: object) =>
  call(origin, 'POST', `/v1/approvals/${approval.id}/${how}`, body);

const races: readonly Race[] = [
  {
    name: 'reject',
    person: 'ada@sandbox.test',
    rival: ({ second }, asked) => decide(second, asked, 'reject', { reason: 'No' }),
    mails: (approved, rejected) => (approved === rejected ? [] : [approved ? 1 : 0]),
  },
  {
    name: 'expiry',
    person: 'ada@sandbox.test',
    rival: async ({ store }, { approval }) => {
      const wait = sql`make_interval(secs => ${randomBetween(0, 0.05)})`;
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
    rival: ({ second }, asked) => decide(second, asked, 'edit', { changes: { subject: `${asked.subject} edited` } }),
    mails: (approved, edited) => (approved === edited ? [] : [approved ? 1 : 0]),
  },
  {
    name: 'disconnect',
    person: 'ben@sandbox.test',
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

/** Waits until the run has ended or, where an edit won, waits on. */
const settled = async ({ first }: Scene, runId: string, isEdited: boolean): Promise<boolean> => {
  const until = performance.now() + 60_000;
  while (performance.now() < until) {
    const { body } = await call(first, 'GET', `/v1/runs/${runId}`);
    if (body['finishedAt'] !== null || (isEdited && body['status'] === 'waiting_approval')) return true;
    await sleep(30);
  }
  return false;
};

/** Two deciders at the same moment over two processes. What leaves is counted at the service. */
export const decisions: Proof = {
  name: 'decisions',
  about: 'an approval raced by a rejection, its expiry, an edit or a disconnection has one outcome and one effect',
  run: async ({ scale, progress }) => {
    await using set = await stage();
    await fetch(`${set.mail.url}/_control/limits`, { method: 'POST', body: '{"off":true}' });
    const database = await startEmbeddedPostgres({ dataDir: set.dataDir, log: () => {} });
    const environment = {
      ...set.environment,
      DATABASE_URL: database.connectionString,
      DATABASE_POOL: '6',
      DEMO: 'off',
      INTERVALS: JSON.stringify({ sweepMs: 100, writeDeadlineMs: 3_000 }),
    };
    const [one, two] = await Promise.all([startProcess('start', environment), startProcess('api', environment)]);
    const store = openStore({ connectionString: database.connectionString, max: 1, log: silentLog });
    const scene: Scene = { set, store, first: one.origin, second: two.origin };
    const rounds = scale < 1 ? 5 : Math.round(200 * scale);
    const row = { lost: 0, duplicated: 0, unknown: 0 };
    const objections: string[] = [];
    try {
      for (const { name, person, rival, mails } of races) {
        const known = name === 'disconnect' ? undefined : await connectMail(scene.first, set.mail, person);
        let won = 0;
        for (let n = 0; n < rounds; n++) {
          const asked = await ask(scene, person, `${name} ${n}`, known);
          const { digest } = asked.approval;
          const early = randomBetween(-10, 10);
          const [approval, other] = await Promise.all([
            sleep(Math.max(0, early)).then(() => decide(scene.first, asked, 'approve', { digest })),
            sleep(Math.max(0, -early)).then(() => rival(scene, asked)),
          ]);
          const approved = approval.status === 200;
          const otherWon = other.status < 300;
          won += approved ? 1 : 0;
          const isEdited = name === 'edit' && otherWon;
          if (!(await settled(scene, asked.runId, isEdited))) row.unknown += 1;
          const left = await outbox(scene, asked.subject);
          const right = mails(approved, otherWon);
          if (!right.includes(left)) {
            const how = `approve ${approval.status}, ${name} ${other.status}: ${left} mails left`;
            objections.push(`${asked.subject}: ${how}`);
          }
          row.lost += approved && name !== 'disconnect' && left === 0 ? 1 : 0;
          row.duplicated += Math.max(0, left - (approved ? 1 : 0));
          // What an edit made of it is decided for the next round not to meet it.
          if (isEdited) await decide(scene.first, asked, 'reject', {});
        }
        progress(`${name}: ${won} of ${rounds} approvals won`);
      }
      const tried = rounds * races.length;
      return { guarantee: 'decisions raced by reject, expiry, edit, disconnect', tried, ...row, objections };
    } finally {
      await store.close();
      await Promise.all([one.stop(), two.stop()]);
      await database.stop();
    }
  },
};
