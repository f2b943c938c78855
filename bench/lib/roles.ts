import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

export type Role = { child: ChildProcess; pid: number; origin: string; stop(): void };

/** Starts this program again as one of its other parts, which says on which port it serves. */
export const startRole = async (program: string, name: string, ...args: string[]): Promise<Role> => {
  const child = fork(new URL(program), [name, ...args]);
  const [port] = (await once(child, 'message')) as [number];
  return { child, pid: child.pid ?? 0, origin: `http://127.0.0.1:${port}`, stop: () => void child.kill() };
};

/** Says, as such a part, on which port it serves. It ends with whoever started it. */
export const serveAsRole = (port: number): void => {
  process.once('disconnect', () => process.exit());
  process.send?.(port);
};
