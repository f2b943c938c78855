import { setTimeout as sleep } from 'node:timers/promises';
import { killDatabase, postmastersOn, startProcess } from '../harness/processes.ts';
import type { Proof } from '../harness/row.ts';
import { call, randomBetween, stage } from '../harness/stage.ts';

type Listed = { items: { name: string }[]; nextCursor?: string };

const namesIn = async (origin: string): Promise<string[]> => {
  const names: string[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { body } = await call(origin, 'GET', `/v1/api-keys?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`);
    const page = body as Listed;
    names.push(...page.items.map(({ name }) => name));
    cursor = page.nextCursor;
  }
  return names;
};

const victims = ['everything', 'our process', 'the database'];

const isReady = async (origin: string): Promise<boolean> => {
  const answer = await fetch(`${origin}/readyz`).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.ok ?? false;
};

/** kill -9 of everything, database included or left behind as an orphan, while rows are being written. */
export const restarts: Proof = {
  name: 'restarts',
  about: 'kill -9 of the whole process tree while writing loses no acknowledged row and leaves no database behind',
  run: async ({ scale, progress }) => {
    await using set = await stage();
    const kills = Math.max(3, Math.round(12 * scale));
    const counts = { kills: 0, stops: 0 };
    const acknowledged: string[] = [];
    const objections: string[] = [];
    let worstRecoveryMs = 0;
    let running = await startProcess('start', set.environment);
    try {
      for (let kill = 1; kill <= kills; kill++) {
        const { origin } = running;
        let writing = true;
        const write = async (writer: number) => {
          for (let n = 1; writing; n++) {
            const name = `kill ${kill} writer ${writer} row ${n}`;
            const answer = await call(origin, 'POST', '/v1/api-keys', { name, scopes: ['read'] }).catch(
              () => undefined,
            );
            if (answer?.status === 201) acknowledged.push(name);
            if (answer === undefined && !writing) return;
            if (answer === undefined || answer.status >= 500) await sleep(20);
            if (answer?.status === 429) await sleep(100);
          }
        };
        const writers = [1, 2, 3, 4].map(write);
        await sleep(randomBetween(300, 1_200));
        const what = victims[kill % victims.length] ?? 'everything';
        const started = performance.now();
        if (what !== 'the database') counts.kills += 1;
        if (what !== 'our process') counts.stops += 1;
        if (what === 'the database') {
          killDatabase(set.dataDir);
          // Its keeper starts it again under the same process.
          while (!(await isReady(origin))) await sleep(50);
        } else await (what === 'our process' ? running.kill() : running.killTree(set.dataDir));
        writing = false;
        await Promise.all(writers);
        if (what !== 'the database') running = await startProcess('start', set.environment);
        worstRecoveryMs = Math.max(worstRecoveryMs, performance.now() - started);
        const servers = postmastersOn(set.dataDir).length;
        if (servers !== 1) objections.push(`${servers} databases ran after restart ${kill}`);
        progress(`kill ${kill} of ${kills} (${what}): ${acknowledged.length} rows acknowledged`);
      }
      const names = await namesIn(running.origin);
      const there = new Set(names);
      const lost = acknowledged.filter((name) => !there.has(name)).length;
      await running.stop();
      if (postmastersOn(set.dataDir).length > 0) objections.push('a database was left after the stop');
      const guarantee = `${kills} × kill -9 of the process tree while writing`;
      const duplicated = names.length - there.size;
      return {
        guarantee,
        ...counts,
        tried: acknowledged.length,
        lost,
        duplicated,
        unknown: 0,
        worstRecoveryMs,
        objections,
      };
    } finally {
      await running.killTree(set.dataDir).catch(() => {});
    }
  },
};
