import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess } from '../harness/processes.ts';
import type { Proof } from '../harness/row.ts';
import { call, connectBoard, stage } from '../harness/stage.ts';

const allowedMs = 30_000;

type Listed = { items: { id: string; status: string }[]; nextCursor?: string };

/** Two processes on one database; one is killed while its calls are on the wire. Cards are counted at the service. */
export const takeover: Proof = {
  name: 'takeover',
  about: 'what a killed process held is finished by another within 30 s, each effect once',
  run: async ({ scale, progress, database: given }) => {
    await using set = await stage({ database: given });
    const database = await set.sharedDatabase();
    const environment = { ...set.environment, DATABASE_URL: database.connectionString };
    const doomed = await startProcess('api', environment);
    const heir = await startProcess('start', { ...environment, SANDBOX: 'on' });
    try {
      const accountId = await connectBoard(doomed.origin, set.board);
      const list = set.board.newList();
      // Few enough that looking for them all stays within what the service allows in 30 s.
      const tried = Math.max(10, Math.round(40 * scale));
      // Half of the calls are still waiting at the service when their process dies, the others may be done.
      set.board.control.faults.add({
        match: { method: 'POST', path: '/1/cards' },
        kind: 'latency',
        ms: 1_500,
        rate: 0.5,
      });
      const requests = Array.from({ length: tried }, (_, n) =>
        call(doomed.origin, 'POST', '/v1/steps/board.create_card/run', {
          accountId,
          // The same name each time: only counting tells them apart.
          input: { idList: list.id, name: n % 2 === 0 ? 'Twin' : `Card ${n}` },
        }).catch(() => undefined),
      );
      const begun = await waitFor(async () => (await statuses(heir.origin)).length >= tried, 10_000);
      await doomed.kill();
      const killed = performance.now();
      await Promise.all(requests);
      progress(`killed while ${tried} runs were under way; waiting for the other process`);

      const open = async () => (await statuses(heir.origin)).filter((s) => s === 'running' || s === 'queued').length;
      const finished = await waitFor(async () => (await open()) === 0, allowedMs + 30_000);
      const worstRecoveryMs = performance.now() - killed;
      // Whatever was still under way at the service has arrived by now.
      await sleep(2_000);
      const ended = await statuses(heir.origin);
      const succeeded = ended.filter((status) => status === 'succeeded').length;
      const cards = set.board.cardsIn(list.id).length;
      const objections = [
        ...(begun ? [] : ['not all runs had begun when the process was killed']),
        ...(finished ? [] : [`${await open()} runs were never finished`]),
        // A machine that runs other tests meanwhile is no measure of time.
        ...(scale < 1 || worstRecoveryMs <= allowedMs ? [] : [`recovery took ${Math.round(worstRecoveryMs)} ms`]),
      ];
      return {
        guarantee: 'kill -9 of one of two processes with runs under way',
        tried,
        kills: 1,
        lost: Math.max(0, tried - cards),
        duplicated: Math.max(0, cards - tried),
        unknown: tried - succeeded,
        worstRecoveryMs,
        objections,
      };
    } finally {
      await doomed.stop();
      await heir.stop();
      await database.stop();
    }
  },
};

const statuses = async (origin: string): Promise<string[]> => {
  const found: string[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { body } = await call(origin, 'GET', `/v1/runs?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`);
    const page = body as Listed;
    found.push(...(page.items ?? []).map(({ status }) => status));
    cursor = page.nextCursor;
  }
  return found;
};

const waitFor = async (holds: () => Promise<boolean>, limitMs: number): Promise<boolean> => {
  const until = performance.now() + limitMs;
  while (performance.now() < until) {
    if (await holds()) return true;
    await sleep(200);
  }
  return false;
};
