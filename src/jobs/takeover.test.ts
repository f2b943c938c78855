import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '#clock';
import { silentLog } from '#log';
import { freshDatabase } from '../../test/database.ts';
import { createJobs, defineJob } from './index.ts';
import type { Told } from './worker.fixture.ts';

const hold = defineJob({ name: 'hold', data: z.object({ id: z.string() }), handle: async () => {} });

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const startWorker = (connectionString: string) => {
  const file = fileURLToPath(new URL('./worker.fixture.ts', import.meta.url));
  const child = spawn(process.execPath, [file, connectionString], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const heard: Told[] = [];
  let rest = '';
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    heard.push(...lines.map((line) => JSON.parse(line) as Told));
  });
  return {
    child,
    began: () => heard.flatMap(({ began }) => began ?? []),
    ready: () => expect.poll(() => heard.some(({ ready }) => ready)).toBe(true),
  };
};

test('jobs held by a process killed with -9 begin in another one', async () => {
  await using database = await freshDatabase();
  const first = startWorker(database.connectionString);
  await first.ready();
  const sender = createJobs({ ...database, jobs: [hold], log: silentLog, clock: systemClock() });
  await sender.start({ work: false });
  await sender.sendMany(
    hold,
    ['a', 'b', 'c'].map((id) => ({ data: { id } })),
  );
  await expect.poll(first.began).toHaveLength(3);
  const second = startWorker(database.connectionString);
  await second.ready();

  first.child.kill('SIGKILL');

  await expect.poll(() => second.began().toSorted(), { interval: 100 }).toEqual(['a', 'b', 'c']);
  await sender.stop();
}, 60_000);
