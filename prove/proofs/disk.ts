import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { storageOutages } from '../harness/outage.ts';
import { type Proof, tiny } from '../harness/row.ts';
import { randomBetween, stage } from '../harness/stage.ts';

const run = promisify(execFile);
const size = '640m';
// A busy machine may need a while until somebody meets the full disk.
const longestMs = 30_000;

export const mayNot = 'A full disk can be tried only by a user who may mount a small file system (root).';

/** A file system of its own in memory, small enough to be filled. */
const mountSmall = async (folder: string) => {
  await run('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'tmpfs', folder]).catch((error: unknown) => {
    if (!/superuser|permission denied|not permitted/i.test(String(error))) throw error;
    throw new Error(mayNot, { cause: error });
  });
  return { path: folder, [Symbol.asyncDispose]: async () => void (await run('umount', ['--lazy', folder])) };
};

/** Takes all the space that is left; answers when not a byte more can be written. */
const fill = async (path: string): Promise<void> => {
  const file = await open(path, 'w');
  try {
    for (let piece = Buffer.alloc(1 << 20); piece.length > 0; ) {
      const written = await file.write(piece).catch(() => undefined);
      if (written === undefined) piece = piece.subarray(0, piece.length >> 1);
    }
  } finally {
    await file.close();
  }
};

/** The file system under the database is full for some seconds, time after time. */
export const disk: Proof = {
  name: 'disk',
  about: 'a full disk: 503 meanwhile, nothing is acknowledged that is not kept, all goes on once there is room',
  run: async ({ scale, progress }) => {
    await using set = await stage();
    await using small = await mountSmall(set.dataDir);
    const filler = join(small.path, 'filler');
    const fullFor = async (ms: number, isEnough: () => boolean): Promise<void> => {
      const began = performance.now();
      const lasts = () => performance.now() - began;
      // What the database gives back by itself is taken, too.
      while (lasts() < ms || (!isEnough() && lasts() < longestMs)) {
        await fill(filler + String(Math.round(performance.now())));
        await sleep(200);
      }
    };
    const empty = async () => {
      await run('find', [set.dataDir, '-maxdepth', '1', '-name', 'filler*', '-delete']);
    };
    const way = {
      name: 'no space left',
      act: async (isTold: () => boolean) => {
        await fullFor(scale <= tiny ? 1_000 : randomBetween(4_000, 15_000), isTold);
        await empty();
      },
    };
    const stops = Math.max(scale <= tiny ? 1 : 2, Math.round(6 * scale));
    // What can be read is still read.
    const found = await storageOutages(set, [way], { stops, showsInReadiness: false, scale, progress });
    return { guarantee: 'a full disk under load', ...found };
  },
};
