import { defaultIntervals } from '#clock';

/* A calculation, not a load: what one million accounts ask of workers and services, second by second. */

const accounts = 1_000_000;
const mailShare = 0.7;
const boardsPerAccount = 1;
/** Seven days is the longest that a mail subscription lives; it is renewed when a third is left. */
const renewEverySeconds = (7 * 86_400 * 2) / 3;
const { lookMs, checkMs } = defaultIntervals;

/** One worker: how many looks it has under way at once, how long one takes, and what it costs. */
const worker = { atOnce: 32, secondsPerLook: 0.2, cpuSecondsPerLook: 0.004 };
const looksPerSecond = Math.min(worker.atOnce / worker.secondsPerLook, 0.8 / worker.cpuSecondsPerLook);

const watches = Math.round(accounts * (mailShare + (1 - mailShare) * boardsPerAccount));
const lookEvery = lookMs / 1_000;

/** Looks made in each second when `workers` take whatever is due, oldest first. */
const play = (workers: number, seconds: number, firstDue: (watch: number) => number) => {
  const capacity = Math.floor(workers * looksPerSecond);
  // How many become due in which second; a look makes its watch due again one interval later.
  const due = new Uint32Array(seconds + Math.ceil(lookEvery) + 1);
  for (let watch = 0; watch < watches; watch += 1)
    due[Math.floor(firstDue(watch))] = (due[Math.floor(firstDue(watch))] ?? 0) + 1;
  let waiting = 0;
  let busiest = 0;
  let longestQueue = 0;
  let drained = -1;
  for (let second = 0; second < seconds; second += 1) {
    waiting += due[second] ?? 0;
    longestQueue = Math.max(longestQueue, waiting);
    const done = Math.min(waiting, capacity);
    waiting -= done;
    busiest = Math.max(busiest, done);
    const again = second + Math.ceil(lookEvery);
    if (again < due.length) due[again] = (due[again] ?? 0) + done;
    if (drained < 0 && waiting < capacity) drained = second;
  }
  return { capacity, busiest, longestQueue, drained };
};

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const perSecond = (value: number): string => `${value.toFixed(1)}/s`;

const steady = watches / lookEvery;
say(`${watches.toLocaleString('en')} watches of ${accounts.toLocaleString('en')} accounts`);
say(`  looks, each ${lookEvery} s       ${perSecond(steady)}`);
say(`  registrations verified    ${perSecond(watches / (checkMs / 1_000))}`);
say(`  subscriptions renewed     ${perSecond((accounts * mailShare) / renewEverySeconds)}`);
say(`  tokens refreshed, hourly  ${perSecond((accounts * mailShare) / 3_600)} if every account is used each hour`);
say(
  `  one worker                ${looksPerSecond.toFixed(0)} looks/s (${worker.atOnce} at once, ${worker.secondsPerLook} s, ${worker.cpuSecondsPerLook * 1000} ms CPU)`,
);
say('\nworkers  share used  queue at most  after an hour of silence, drained in');
for (const workers of [22, 26, 32, 48, 64]) {
  const calm = play(workers, 1_200, () => Math.random() * lookEvery);
  const storm = play(workers, 3_600, () => 0);
  say(
    `${String(workers).padStart(7)}  ${`${((100 * steady) / calm.capacity).toFixed(0)} %`.padStart(10)}  ${calm.longestQueue.toLocaleString('en').padStart(13)}  ${storm.drained < 0 ? 'never' : `${storm.drained} s`}`,
  );
}
say('\nA board token allows 10 calls/s and a mailbox 4 calls at once: no account comes near that by being looked at.');
