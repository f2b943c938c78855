import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { silentLog } from '#log';
import { openStore, startEmbeddedPostgres } from '#store';
import { type Running, startProcess } from '../prove/harness/processes.ts';
import { call, connectMail, stage } from '../prove/harness/stage.ts';
import { cpuSeconds, memoryMb } from './lib/measure.ts';

/*
 * 10,000 runs, started over HTTP, that wait for a person: what one process costs that rests beside none of them and beside
 * all, and the process that started them. A process that has worked keeps some of the memory it needed meanwhile, so the
 * reference is one that has just been started.
 */

const waiting = Number(process.argv[2] ?? 10_000);
const atOnce = 8;
const restMs = 20_000;
const goals = { moreMb: 15 };

const say = (text: string): void => void process.stdout.write(`${text}\n`);

await using set = await stage();
await fetch(`${set.mail.url}/_control/limits`, { method: 'POST', body: '{"off":true}' });
const database = await startEmbeddedPostgres({ dataDir: set.dataDir, log: () => {} });
const start = () =>
  startProcess('start', {
    ...set.environment,
    DATABASE_URL: database.connectionString,
    DEMO: 'off',
    LOG_LEVEL: 'warn',
  });

/** What a process that was just started needs once it rests. */
const atRest = async (running: Running): Promise<{ mb: number; cpu: number }> => {
  const pid = running.child.pid ?? 0;
  await sleep(restMs / 2);
  const before = cpuSeconds(pid);
  await sleep(restMs);
  return { mb: memoryMb(pid), cpu: (cpuSeconds(pid) - before) / (restMs / 1_000) };
};
const shown = ({ mb, cpu }: { mb: number; cpu: number }) => `${mb} MB, CPU ${(cpu * 100).toFixed(1)} % of a core`;

let ours = await start();
try {
  const accountId = await connectMail(ours.origin, set.mail, 'ada@sandbox.test');
  await ours.stop();
  const store = openStore({ connectionString: database.connectionString, max: 1, log: silentLog });
  // As fast as it goes: how often a key may ask is not what is measured.
  await sql`update api_keys set per_second = 1000, burst = 2000`.execute(store.system);
  await store.close();
  ours = await start();
  const none = await atRest(ours);

  let begun = 0;
  const ask = async (): Promise<void> => {
    while (begun < waiting) {
      const input = { to: ['ben@sandbox.test'], subject: `Hello ${begun++}`, body: 'Hello '.repeat(500) };
      const { status } = await call(ours.origin, 'POST', '/v1/steps/mail.send_email/run', { accountId, input });
      if (status !== 202) throw new Error(`a run did not wait: ${status}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, ask));
  const worked = await atRest(ours);
  await ours.stop();
  ours = await start();
  const all = await atRest(ours);
  const { body } = await call(ours.origin, 'GET', '/v1/runs?status=waiting_approval&limit=1');
  if ((body as { items: unknown[] }).items.length !== 1) throw new Error('nothing waits');

  say(`  no run waits:                 ${shown(none)}`);
  say(`  ${waiting} runs wait:             ${shown(all)}`);
  say(`  the process that started them: ${shown(worked)}`);
  const holds = all.mb - none.mb < goals.moreMb;
  say(`  goal: less than ${goals.moreMb} MB more for all that waits: ${holds ? 'met' : 'MISSED'}`);
  if (!holds) process.exitCode = 1;
} finally {
  await ours.stop();
  await database.stop();
}
