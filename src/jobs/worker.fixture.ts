import { z } from 'zod';
import { systemClock } from '#clock';
import { silentLog } from '#log';
import { createJobs, defineJob } from './index.ts';

/** What the worker process tells about itself, one line of JSON each. */
export type Told = { began?: string; ready?: true };

const tell = (told: Told): void => void process.stdout.write(`${JSON.stringify(told)}\n`);

const hold = defineJob({
  name: 'hold',
  data: z.object({ id: z.string() }),
  // Only another process, or the end of this one, ends it.
  handle: ({ id }) => {
    tell({ began: id });
    return new Promise<void>(() => {});
  },
});

const jobs = createJobs({
  connectionString: process.argv[2] ?? '',
  jobs: [hold],
  log: silentLog,
  clock: systemClock(),
});
await jobs.start({ work: true });
tell({ ready: true });
