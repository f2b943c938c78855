import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { scratchFolder } from '#store';
import { newSingleStepper, newTrigger } from '../harness/agents.ts';
import { freePort, runCommand, startProcess } from '../harness/processes.ts';
import type { Proof } from '../harness/row.ts';
import { call, connectMail, stage } from '../harness/stage.ts';

type Stage = Awaited<ReturnType<typeof stage>>;

const reader = 'ada@sandbox.test';
const allowedMs = 180_000;

/** With owners and modes: the database's files belong to its own user. */
const copy = (from: string, to: string) => promisify(execFile)('cp', ['-a', `${from}/.`, to]);

const responder = (origin: string, accountId: string): Promise<string> => {
  const input = { messageId: '{{inputs.messageId}}', body: 'Thank you.' };
  const step = { step: 'mail.reply', account: { id: accountId }, input };
  return newSingleStepper(origin, { name: 'Answer', step, given: { messageId: '{{event.data.message.id}}' } });
};

const deliver = async (set: Stage, from: number, to: number): Promise<void> => {
  for (let n = from; n < to; n += 1) {
    const body = JSON.stringify({ to: reader, from: `p${n}@contoso.example`, subject: `Mail ${n}`, body: 'Hello' });
    const headers = { 'content-type': 'application/json' };
    await fetch(`${set.mail.url}/_control/deliver`, { method: 'POST', headers, body });
  }
};

const answersTo = (set: Stage): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const { subject } of set.mail.world.outbox) counts.set(subject, (counts.get(subject) ?? 0) + 1);
  return counts;
};

/** Everything dies, an older copy of its folder is brought to an empty place, and work goes on there. */
export const backup: Proof = {
  name: 'backup',
  about: 'a backup brought back on an empty machine: what happened since is caught up, nothing is sent twice',
  run: async ({ scale, progress }) => {
    await using set = await stage();
    const third = Math.max(2, Math.round(9 * scale));
    const environment = {
      ...set.environment,
      PORT: String(await freePort()),
      INTERVALS: '{"lookMs":5000}',
    };
    await using kept = await scratchFolder();
    await using empty = await scratchFolder();
    const settled = async (count: number): Promise<number> => {
      const begun = performance.now();
      while (answersTo(set).size < count && performance.now() - begun < allowedMs) await sleep(250);
      return performance.now() - begun;
    };

    let running = await startProcess('start', environment);
    const accountId = await connectMail(running.origin, set.mail, reader);
    const agentId = await responder(running.origin, accountId);
    await newTrigger(running.origin, { agentId, type: 'mail.new_email', accountId, config: {} });
    await deliver(set, 0, third);
    await settled(third);
    // Some are under way when the copy is made.
    await deliver(set, third, third + 2);
    await running.killTree(environment.DATA_DIR);
    await copy(environment.DATA_DIR, kept.path);
    progress(`backed up after ${answersTo(set).size} answers`);

    running = await startProcess('start', environment);
    await deliver(set, third + 2, 2 * third + 2);
    await settled(2 * third + 2);
    await running.killTree(environment.DATA_DIR);
    progress(`everything died after ${answersTo(set).size} answers`);

    await copy(kept.path, empty.path);
    const elsewhere = { ...environment, DATA_DIR: empty.path };
    await runCommand(['restored'], elsewhere);
    running = await startProcess('start', elsewhere);
    try {
      const total = 3 * third + 2;
      await deliver(set, 2 * third + 2, total);
      const worstRecoveryMs = await settled(total);
      // All that was met again has been dealt with, too.
      const events = async () => {
        const { body } = await call(running.origin, 'GET', '/v1/events?outcome=fired&limit=100');
        return (body['items'] as unknown[]).length;
      };
      const unfinished = async () => {
        const { body } = await call(running.origin, 'GET', '/v1/runs?limit=100');
        return (body['items'] as { status: string }[]).filter(({ status }) => status !== 'succeeded').length;
      };
      const begun = performance.now();
      while (((await events()) < total || (await unfinished()) > 0) && performance.now() - begun < allowedMs)
        await sleep(500);
      const [met, open] = [await events(), await unfinished()];
      const counts = [...answersTo(set).values()];
      return {
        guarantee: 'a restored backup',
        tried: total,
        ...{ events: total, sends: total, kills: 2, stops: 2 },
        lost: total - counts.length,
        duplicated: counts.reduce((sum, count) => sum + count - 1, 0),
        unknown: open,
        worstRecoveryMs,
        objections: met === total ? [] : [`${met} of ${total} events are known after the restore`],
      };
    } finally {
      await running.stop();
    }
  },
};
