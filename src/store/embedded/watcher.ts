import { spawn } from 'node:child_process';
import { buried, surroundings } from './commands.ts';
import type { Lock } from './lock.ts';

// The end of standard input means that our process is gone, however it went. Whoever adopts the server or ends it
// changes one of the two files within the grace.
const SCRIPT = `read -r done && exit
waited=0
while [ "$waited" -lt "$5" ]; do
  sleep 1
  [ "$(cat "$1" 2>/dev/null)" = "$2" ] && [ "$(head -n 1 "$3" 2>/dev/null)" = "$4" ] || exit
  waited=$((waited + 1))
done
kill -INT "$4"`;

/** Ends the server of a supervisor that was killed and never started again. */
export const watchOver = (pid: number, pidFile: string, lock: Lock, graceSeconds: number) => {
  const args = ['-c', SCRIPT, 'sh', lock.ownerFile, lock.ownerMark, pidFile, String(pid), String(graceSeconds)];
  const watcher = spawn('/bin/sh', args, {
    ...surroundings(undefined),
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a watcher the next start still cares for an orphan.
  watcher.on('error', () => {});
  watcher.stdin.on('error', () => {});
  watcher.unref();
  return {
    dismiss() {
      watcher.stdin.end('done\n');
      return buried(watcher);
    },
  };
};
