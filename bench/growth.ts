import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { serveBoardStub } from './lib/board-stub.ts';
import { growHistory } from './lib/event-history.ts';
import { createLoad } from './lib/event-load.ts';
import { noteFigure } from './lib/figures.ts';
import { lineChart } from './lib/line-chart.ts';
import { instant, median } from './lib/measure.ts';
import { serveAsRole } from './lib/roles.ts';
import { ownerKey } from './lib/watched-boards.ts';
import { openWatchedHouse } from './lib/watched-house.ts';

/*
 * What one process and its database do as things accumulate: stored events from 10³ to 10⁶, and triggers from 10² to
 * 10⁵. Flat is good. Each point is measured against the smallest of the same run.
 */

const historySizes = [1_000, 10_000, 100_000, 1_000_000];
const triggerCounts = [100, 1_000, 10_000, 100_000];
const boards = 400;
const saturationMs = 5_000;
const pages = ['/v1/events?limit=50', '/v1/runs?limit=50', '/v1/overview?days=7'];
/** What is rare, or not there at all, is looked for among everything. */
const searches = [
  '/v1/events?outcome=skipped',
  '/v1/runs?status=failed',
  '/v1/audit?effect=send',
  '/v1/audit?action=tool',
];
const openPageMs = 5_000;
const headers = { authorization: `Bearer ${ownerKey}` };
const far = 86_400_000;
const restful = { lookMs: far, pollMs: far, checkMs: far, resyncMs: far, orphanSweepMs: far };

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const [role] = process.argv.slice(2);
if (role === 'stub') serveAsRole(await serveBoardStub());
else await main();

type House = Awaited<ReturnType<typeof openWatchedHouse>>;
type Point = {
  x: number;
  perSecond: number;
  cpuMs: number;
  memoryMb: number;
  pageMs: number;
  /** Of the slowest search. */
  searchMs: number;
  /** What an open page costs the database, in per cent of a core. */
  openPage: number;
};

async function readPage(origin: string, page: string): Promise<number> {
  const begun = instant();
  const answer = await fetch(origin + page, { headers });
  await answer.text();
  if (!answer.ok) throw new Error(`${page} answered ${answer.status}`);
  return instant() - begun;
}

async function readPages(origin: string, wanted: readonly string[]): Promise<number[]> {
  const times: number[][] = wanted.map(() => []);
  for (let round = 0; round < 5; round++)
    for (const [at, page] of wanted.entries()) times[at]?.push(await readPage(origin, page));
  return times.map(median);
}

async function watchAPage(house: House): Promise<number> {
  const closing = new AbortController();
  const stream = await fetch(`${house.origin}/v1/stream`, { headers, signal: closing.signal });
  const before = house.spent().database;
  await sleep(openPageMs);
  const spent = house.spent().database - before;
  closing.abort();
  await stream.body?.cancel().catch(() => {});
  return (spent * 100_000) / openPageMs;
}

async function measure(house: House, x: number, unit: string): Promise<Point> {
  const load = createLoad(house.origin, house.watched.slice(0, boards), house.stub.origin);
  await load.warm(2 * boards);
  const before = house.spent();
  const { perSecond, sent, lost, twice } = await load.closed(saturationMs);
  const after = house.spent();
  if (lost + twice > 0) throw new Error(`${lost} events were lost, ${twice} were carried out twice`);
  const cpuMs = ((after.own + after.database - before.own - before.database) * 1_000) / sent;
  const point = {
    x,
    perSecond,
    cpuMs,
    memoryMb: house.memoryMb(),
    pageMs: median(await readPages(house.origin, pages)),
    searchMs: Math.max(...(await readPages(house.origin, searches))),
    openPage: await watchAPage(house),
  };
  say(
    `  ${String(x).padStart(9)} ${unit}: ${perSecond.toFixed(0)} events/s, CPU with PostgreSQL ${cpuMs.toFixed(2)} ms per event, ` +
      `${point.memoryMb} MB, a page of history ${point.pageMs.toFixed(1)} ms, the slowest search ${point.searchMs.toFixed(0)} ms, ` +
      `${point.openPage.toFixed(1)} % of a core for an open page`,
  );
  return point;
}

function drawn(file: string, title: string, x: string, points: readonly Point[]): void {
  const [first] = points;
  if (first === undefined) return;
  const of = (read: (point: Point) => number) => points.map((point) => ({ x: point.x, y: read(point) / read(first) }));
  const series = [
    { name: 'CPU per event', points: of(({ cpuMs }) => cpuMs) },
    { name: 'memory', points: of(({ memoryMb }) => memoryMb) },
    { name: 'a page of history', points: of(({ pageMs }) => pageMs) },
  ];
  const folder = fileURLToPath(new URL('../docs/proof/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}${file}`, lineChart({ title, x, logarithmic: true, series }));
}

function noteGrowth(what: string, points: readonly Point[]): void {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return;
  const times = `${last.x / first.x} times the ${what}`;
  noteFigure({ what: `CPU per event, ${times}`, value: last.cpuMs / first.cpuMs, unit: 'ratio', goal: { most: 2 } });
  noteFigure({ what: `memory, ${times}`, value: last.memoryMb / first.memoryMb, unit: 'ratio', goal: { most: 2.5 } });
  noteFigure({
    what: `a page of history, ${times}`,
    value: last.pageMs / first.pageMs,
    unit: 'ratio',
    goal: { most: 2 },
  });
  noteFigure({ what: `the slowest search, ${times}`, value: last.searchMs, unit: 'ms', goal: { most: 2_000 } });
  noteFigure({ what: `of a core for an open page, ${times}`, value: last.openPage, unit: '%', goal: { most: 15 } });
}

async function main(): Promise<void> {
  const history: Point[] = [];
  {
    await using house = await openWatchedHouse(import.meta.url, { accounts: boards });
    await createLoad(house.origin, house.watched, house.stub.origin).warm(boards);
    let stored = 0;
    for (const size of historySizes) {
      await growHistory(house.database.connectionString, { from: stored, to: size });
      stored = size;
      history.push(await measure(house, size, 'stored events'));
    }
  }
  drawn('growth-history.svg', 'As history grows, against 1,000 stored events', 'stored events', history);
  noteGrowth('stored events', history);
  const triggers: Point[] = [];
  for (const count of triggerCounts) {
    const perAccount = count > 20_000 ? 5 : 1;
    const size = { accounts: count / perAccount, perAccount };
    await using house = await openWatchedHouse(import.meta.url, { ...size, intervals: restful });
    triggers.push(await measure(house, count, 'triggers'));
  }
  drawn('growth-triggers.svg', 'As triggers grow, against 100', 'triggers', triggers);
  noteGrowth('triggers', triggers);
}
