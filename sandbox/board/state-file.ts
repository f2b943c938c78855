import { readFile, rename, writeFile } from 'node:fs/promises';
import type { World, WorldSnapshot } from './world.ts';

const every = 5000;

/** Loads the world from a file, if there is one, and writes it back when it changed and when asked. */
export const keepInFile = async (world: World, path: string): Promise<{ save: () => Promise<void> }> => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text !== undefined) world.restore(JSON.parse(text) as WorldSnapshot);
  let written = world.revision;
  const write = async (): Promise<void> => {
    if (written === world.revision) return;
    written = world.revision;
    await writeFile(`${path}.new`, JSON.stringify(world.snapshot()));
    await rename(`${path}.new`, path);
  };
  const timer = setInterval(() => void write().catch(() => {}), every);
  timer.unref();
  const save = async (): Promise<void> => {
    clearInterval(timer);
    await write();
  };
  return { save };
};
