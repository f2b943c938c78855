import pg from 'pg';
import { scratchFolder, startEmbeddedPostgres } from '#store';
import { startProcess } from '../prove/harness/processes.ts';
import { serveBoardStub } from './lib/board-stub.ts';
import { createLoad, type Loaded } from './lib/event-load.ts';
import { noteFigure } from './lib/figures.ts';
import { serveFloor } from './lib/hand-off-floor.ts';
import { cpuSeconds, familyCpuSeconds, median, memoryMb, percentile } from './lib/measure.ts';
import { serveAsRole, startRole } from './lib/roles.ts';
import { ownerKey, watchBoards } from './lib/watched-boards.ts';

/*
 * A signed notification becomes one call to the service: by one process of ours with everything on (signature, trigger,
 * event, run, journal, pacing, effect record, audit), and by the hand-off floor, the least that keeps the promise. Both
 * get the same notifications, call the same stub and store in the same PostgreSQL; rounds alternate.
 */

const rounds = 3;
const boards = 400;
// A server runs for days: both have met every board and are compiled before anything is measured.
const warmUpMs = 20_000;
const saturationMs = 8_000;
const calmMs = 6_000;
const calmRate = 20;
const goals = { perSecond: 0.5, calmP50: 2 };

const [role, ...given] = process.argv.slice(2);
if (role === 'stub') serveAsRole(await serveBoardStub());
else if (role === 'floor') serveAsRole(await serveFloor(given[0] ?? '', given[1] ?? ''));
else await main();

type Contestant = { name: string; pid: number; load: ReturnType<typeof createLoad> };
type Result = { busy: Loaded; calm: Loaded; cpuMs: number; databaseMs: number };

async function measure({ pid, load }: Contestant, database: number): Promise<Result> {
  await load.closed(500);
  const calm = await load.open(calmRate, calmMs);
  const before = { own: cpuSeconds(pid), database: familyCpuSeconds(database) };
  const busy = await load.closed(saturationMs);
  const perEvent = (seconds: number) => (seconds * 1_000) / busy.sent;
  return {
    busy,
    calm,
    cpuMs: perEvent(cpuSeconds(pid) - before.own),
    databaseMs: perEvent(familyCpuSeconds(database) - before.database),
  };
}

function shown({ busy, calm, cpuMs, databaseMs }: Result): string {
  const spread = ({ delays }: Loaded) =>
    `${percentile(delays, 0.5).toFixed(1)}/${percentile(delays, 0.99).toFixed(1)} ms`;
  return (
    `${busy.perSecond.toFixed(0)} events/s, CPU ${cpuMs.toFixed(2)} ms + PostgreSQL ${databaseMs.toFixed(2)} ms per event, ` +
    `p50/p99 ${spread(calm)} at ${calmRate}/s, ${spread(busy)} saturated, ` +
    `${busy.lost + calm.lost} lost, ${busy.twice + calm.twice} twice`
  );
}

async function main(): Promise<void> {
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  await using folder = await scratchFolder();
  const database = await startEmbeddedPostgres({ dataDir: folder.path, log: () => {} });
  const apart = new URL(database.connectionString);
  const admin = new pg.Client({ connectionString: database.connectionString });
  await admin.connect();
  await admin.query('create database floor');
  await admin.end();
  apart.pathname = '/floor';
  const stub = await startRole(import.meta.url, 'stub');
  const floor = await startRole(import.meta.url, 'floor', stub.origin, apart.href);
  const { BENCH_NODE_OPTIONS: nodeOptions } = process.env;
  const ours = await startProcess('start', {
    DATA_DIR: folder.path,
    DATABASE_URL: database.connectionString,
    BOOTSTRAP_API_KEY: ownerKey,
    SANDBOX: 'on',
    SANDBOX_PORT: String(Number(new URL(stub.origin).port) - 1),
    LOG_LEVEL: 'warn',
    // For profiles.
    ...(nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions }),
  });
  try {
    const watched = await watchBoards(
      { origin: ours.origin, dataDir: folder.path, database: database.connectionString },
      { accounts: boards },
    );
    const contestants = [
      { name: 'hand-off floor', pid: floor.pid, load: createLoad(floor.origin, watched, stub.origin) },
      { name: 'switchboard', pid: ours.child.pid ?? 0, load: createLoad(ours.origin, watched, stub.origin) },
    ] as const;
    for (const { load } of contestants) {
      await load.warm(3 * boards);
      await load.closed(warmUpMs);
    }
    const ratios = { perSecond: [] as number[], calmP50: [] as number[], cpu: [] as number[] };
    let faults = 0;
    for (let round = 1; round <= rounds; round++) {
      const results: Result[] = [];
      for (const contestant of contestants) {
        const result = await measure(contestant, database.pid);
        results.push(result);
        faults += result.busy.lost + result.busy.twice + result.calm.lost + result.calm.twice;
        say(`  round ${round}, ${contestant.name}: ${shown(result)}`);
      }
      const [least, full] = results as [Result, Result];
      ratios.perSecond.push(full.busy.perSecond / least.busy.perSecond);
      ratios.calmP50.push(percentile(full.calm.delays, 0.5) / percentile(least.calm.delays, 0.5));
      ratios.cpu.push(full.cpuMs / least.cpuMs);
    }
    const of = (values: readonly number[], worst: number) => `${median(values).toFixed(2)} (worst ${worst.toFixed(2)})`;
    say(
      `  of the floor's: events/s ${of(ratios.perSecond, Math.min(...ratios.perSecond))}, goal ${goals.perSecond}; ` +
        `p50 at ${calmRate}/s ${of(ratios.calmP50, Math.max(...ratios.calmP50))}, goal at most ${goals.calmP50}; ` +
        `CPU per event ${of(ratios.cpu, Math.max(...ratios.cpu))}`,
    );
    say(
      `  memory ${memoryMb(contestants[1].pid)} MB, the floor's ${memoryMb(contestants[0].pid)} MB. CPU per event is the ` +
        'firmest of these figures: all processes share the cores of this machine, and with whatever else runs on it.',
    );
    const { perSecond, calmP50 } = goals;
    noteFigure({
      what: "events/s of the floor's",
      value: median(ratios.perSecond),
      unit: 'ratio',
      goal: { least: perSecond },
    });
    noteFigure({
      what: `p50 at ${calmRate}/s to the floor's`,
      value: median(ratios.calmP50),
      unit: 'ratio',
      goal: { most: calmP50 },
    });
    noteFigure({ what: "CPU per event to the floor's", value: median(ratios.cpu), unit: 'ratio' });
    const met = median(ratios.perSecond) >= goals.perSecond && median(ratios.calmP50) <= goals.calmP50;
    process.exitCode = met && faults === 0 ? 0 : 1;
  } finally {
    await ours.stop();
    floor.stop();
    stub.stop();
    await database.stop();
  }
}
