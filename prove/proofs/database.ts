import { setTimeout as sleep } from 'node:timers/promises';
import { storageOutages, type Way } from '../harness/outage.ts';
import { databaseProcesses, killDatabase, postmastersOn } from '../harness/processes.ts';
import { type Proof, tiny } from '../harness/row.ts';
import { stage } from '../harness/stage.ts';

const signal = (pids: readonly number[], name: NodeJS.Signals): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It ended by itself in the meantime.
    }
  }
};

const hang = async (dataDir: string, ms: number): Promise<void> => {
  const pids = databaseProcesses(dataDir);
  signal(pids, 'SIGSTOP');
  await sleep(ms);
  signal(pids, 'SIGCONT');
};

const waysOn = (dataDir: string): Way[] => [
  { name: 'stopped by its operator', act: async () => signal(postmastersOn(dataDir), 'SIGINT') },
  { name: 'killed with all its processes', act: async () => killDatabase(dataDir) },
  { name: 'hangs for 14 s', act: () => hang(dataDir, 14_000) },
  { name: 'stopped at once', act: async () => signal(postmastersOn(dataDir), 'SIGQUIT') },
  {
    // Then PostgreSQL ends all others and recovers by itself.
    name: 'one of its processes killed',
    act: async () => {
      const main = postmastersOn(dataDir);
      const others = databaseProcesses(dataDir).filter((pid) => !main.includes(pid));
      signal(others.slice(-1), 'SIGKILL');
    },
  },
];

export const database: Proof = {
  name: 'database',
  about: 'PostgreSQL stopped, killed or hanging: 503 meanwhile, nothing acknowledged is lost, all goes on by itself',
  run: async ({ scale, progress }) => {
    await using set = await stage();
    const stops = Math.max(scale <= tiny ? 2 : 3, Math.round(20 * scale));
    const found = await storageOutages(set, waysOn(set.dataDir), { stops, showsInReadiness: true, scale, progress });
    return { guarantee: 'PostgreSQL stopped, killed and hung under load', ...found };
  },
};
