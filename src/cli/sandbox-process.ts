import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ConfigMistake } from '#config';
import type { Log } from '#log';
import { compileCache } from './compile-cache.ts';

export type SandboxProcess = { addresses: string[]; stop(): Promise<void> };

const program = fileURLToPath(new URL('../../sandbox/main.ts', import.meta.url));
const host = '127.0.0.1';

const answers = async (port: number, signal?: AbortSignal): Promise<boolean> => {
  try {
    const answer = await fetch(`http://${host}:${port}/_control/requests?since=999999999`, { signal: signal ?? null });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
};

/** Images hold what production needs, and no sandbox. */
export const hasSandbox = (file = program): boolean => existsSync(file);

export const withoutSandbox =
  'the sandbox is not part of this installation; set live credentials (see "Going live" in docs/operations.md), or run "npm start" in a checkout';

/** Before anything is started that would be in vain. */
export const requireSandbox = async (port: number, file = program): Promise<void> => {
  if (hasSandbox(file) || (await answers(port + 1))) return;
  throw new ConfigMistake(`Switchboard cannot start:\n  ${withoutSandbox}.`);
};

/** The sandbox runs in a process of its own: it is somebody else's service, and ends with us. */
export const startSandboxProcess = async (port: number, log: Log, signal?: AbortSignal): Promise<SandboxProcess> => {
  const addresses = [`mail http://${host}:${port}`, `board http://${host}:${port + 1}`];
  if (await answers(port + 1, signal)) {
    log.info({ port }, 'using the sandbox that is running already');
    return { addresses, stop: async () => {} };
  }
  signal?.throwIfAborted();
  // The sandbox notices by the closed channel when we are gone, however we went.
  const child = spawn(process.execPath, [program, '--port', String(port)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // Out of reach of a terminal's Ctrl-C: work that we finish at the end still needs it.
    detached: true,
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
  });
  const ended = once(child, 'exit');
  let gone = false;
  void ended.then(() => {
    gone = true;
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  for (let wait = 5; !(await answers(port + 1, signal)); wait = Math.min(wait * 1.5, 100)) {
    if (signal?.aborted) {
      await stop();
      throw signal.reason;
    }
    if (gone)
      throw new Error(`the sandbox did not start; is one of the ports ${port} to ${port + 2} taken? Set SANDBOX_PORT.`);
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
  log.info({ port, pid: child.pid }, 'the sandbox is ready');
  return { addresses, stop };
};
