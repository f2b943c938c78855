import { type ChildProcess, spawn } from 'node:child_process';
import type { Owner } from './owner.ts';

export type CommandResult = { code: number; stdout: string; stderr: string };

type Options = {
  as?: Owner | undefined;
  input?: string;
  env?: NodeJS.ProcessEnv;
  /** Ends it. */
  signal?: AbortSignal | undefined;
};

/** Starting folder and environment of everything run for the database: neither our folder, which its user may be
 *  unable to enter, nor our variables, which hold keys that it has no business with. */
export const surroundings = (owner: Owner | undefined, env: NodeJS.ProcessEnv = {}) => ({
  cwd: '/',
  env: { PATH: process.env.PATH ?? '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', ...env },
  ...(owner?.foreign ? { uid: owner.uid, gid: owner.gid } : {}),
});

/** Runs a command to its end; a code other than 0 is a result, failing to start is an error. */
export const command = (file: string, args: readonly string[], { as, input, env, signal }: Options = {}) =>
  new Promise<CommandResult>((resolve, reject) => {
    signal?.throwIfAborted();
    const child = spawn(file, args, { ...surroundings(as, env), stdio: ['pipe', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    // A command that ends without reading its input is judged by its code.
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
    const end = () => void child.kill();
    signal?.addEventListener('abort', end);
    child.once('error', (cause) => reject(new Error(cannotRun(file, cause), { cause })));
    child.once('close', (code, by) => {
      signal?.removeEventListener('abort', end);
      resolve({ code: code ?? 128, stdout, stderr: by === null ? stderr : `${stderr}\nended by ${by}` });
    });
  });

/** Waits until a detached child is not only dead but buried: in a container nobody else may do it. */
export const buried = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return resolve();
    child.ref();
    child.once('exit', () => resolve());
  });

export const cannotRun = (file: string, cause: unknown) =>
  `${file} cannot be run here (${cause instanceof Error ? cause.message : String(cause)}). ` +
  'The bundled PostgreSQL needs a system with glibc and the right to switch users; otherwise set DATABASE_URL to a PostgreSQL server of yours.';
