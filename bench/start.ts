import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { scratchFolder, startEmbeddedPostgres } from '#store';
import { startProcess } from '../prove/harness/processes.ts';
import { serveBoardStub } from './lib/board-stub.ts';
import { noteFigure } from './lib/figures.ts';
import { cpuSeconds, instant, median, memoryMb } from './lib/measure.ts';
import { serveAsRole, startRole } from './lib/roles.ts';

/*
 * From the start of a process until it answers, on a database that is there, and its memory at rest: ours with all it has,
 * and the hand-off floor. Rounds alternate. What comparable products take is known in floors: to start 44, at rest 7.6.
 */

const rounds = 5;
const restMs = 5_000;
// A fifth of the time (a twentieth in the end: 2.2) and a quarter of the memory of comparable products.
const goals = { start: 8.8, memory: 1.9 };

type Start = { ms: number; cpuMs: number; memory: number };

const [role] = process.argv.slice(2);
if (role === 'stub') serveAsRole(await serveBoardStub());
else await main();

/** The floor as plain JavaScript that reads nothing it does not need. */
function floorProgram(): string {
  const source = readFileSync(new URL('lib/hand-off-floor.ts', import.meta.url), 'utf8');
  const folder = new URL('../.cache/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  const program = new URL('floor.mjs', folder);
  const serve = 'process.send(await serveFloor(process.argv[3], process.argv[4]));';
  writeFileSync(program, `${stripTypeScriptTypes(source)}\n${serve}\n`);
  return program.href;
}

async function measure(begin: () => Promise<{ pid: number; stop: () => unknown }>): Promise<Start> {
  const begun = instant();
  const { pid, stop } = await begin();
  const ms = instant() - begun;
  const cpuMs = cpuSeconds(pid) * 1_000;
  await sleep(restMs);
  const memory = memoryMb(pid);
  await stop();
  return { ms, cpuMs, memory };
}

async function main(): Promise<void> {
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  await using folder = await scratchFolder();
  const database = await startEmbeddedPostgres({ dataDir: folder.path, log: () => {} });
  const apart = new URL(database.connectionString);
  apart.pathname = '/floor';
  const admin = new pg.Client({ connectionString: database.connectionString });
  await admin.connect();
  await admin.query('create database floor');
  await admin.end();
  const stub = await startRole(import.meta.url, 'stub');
  const program = floorProgram();
  const floor = () => startRole(program, 'floor', stub.origin, apart.href);
  const environment = { DATA_DIR: folder.path, DATABASE_URL: database.connectionString, SANDBOX: 'off' };
  const ours = async () => {
    const { child, stop } = await startProcess('start', environment);
    return { pid: child.pid ?? 0, stop };
  };
  try {
    // The first start builds and compiles, and makes the tables.
    for (const begin of [floor, ours]) await (await begin()).stop();
    const ratios = { start: [] as number[], cpu: [] as number[], memory: [] as number[] };
    for (let round = 1; round <= rounds; round++) {
      const least = await measure(floor);
      const full = await measure(ours);
      const shown = ({ ms, cpuMs, memory }: Start) =>
        `${ms.toFixed(0)} ms, CPU ${cpuMs.toFixed(0)} ms, ${memory} MB at rest`;
      say(`  round ${round}: hand-off floor ${shown(least)}; switchboard ${shown(full)}`);
      ratios.start.push(full.ms / least.ms);
      ratios.cpu.push(full.cpuMs / least.cpuMs);
      ratios.memory.push(full.memory / least.memory);
    }
    noteFigure({
      what: "start to the floor's",
      value: median(ratios.start),
      unit: 'ratio',
      goal: { most: goals.start },
    });
    noteFigure({ what: "CPU of a start to the floor's", value: median(ratios.cpu), unit: 'ratio' });
    noteFigure({
      what: "memory at rest to the floor's",
      value: median(ratios.memory),
      unit: 'ratio',
      goal: { most: goals.memory },
    });
    process.exitCode = median(ratios.start) <= goals.start && median(ratios.memory) <= goals.memory ? 0 : 1;
  } finally {
    stub.stop();
    await database.stop();
  }
}
