import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serveBoardStub } from './lib/board-stub.ts';
import { createLoad } from './lib/event-load.ts';
import { noteFigure } from './lib/figures.ts';
import { lineChart } from './lib/line-chart.ts';
import { instant, percentile } from './lib/measure.ts';
import { serveAsRole } from './lib/roles.ts';
import { openWatchedHouse } from './lib/watched-house.ts';

/*
 * Ten times the normal load (20 events a second) for a quarter of an hour, or as many minutes as are given: does memory
 * grow, does anything get lost, does it get slower?
 */

const perSecond = 200;
const spanMs = 15_000;
const boards = 400;
const settledAfter = 1 / 3;
const mostPerHour = 60;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const [role] = process.argv.slice(2);
if (role === 'stub') serveAsRole(await serveBoardStub());
else await main(Number(role ?? 15));

type Sample = { minutes: number; memoryMb: number; p50: number };

/** Of a straight line through the samples: megabytes an hour. */
function slope(samples: readonly Sample[]): number {
  const mean = (read: (each: Sample) => number) => samples.reduce((sum, each) => sum + read(each), 0) / samples.length;
  const [x, y] = [mean(({ minutes }) => minutes), mean(({ memoryMb }) => memoryMb)];
  const up = samples.reduce((sum, each) => sum + (each.minutes - x) * (each.memoryMb - y), 0);
  const across = samples.reduce((sum, each) => sum + (each.minutes - x) ** 2, 0);
  return (up / across) * 60;
}

async function main(minutes: number): Promise<void> {
  await using house = await openWatchedHouse(import.meta.url, { accounts: boards });
  const load = createLoad(house.origin, house.watched, house.stub.origin);
  await load.warm(3 * boards);
  const samples: Sample[] = [];
  let [sent, lost, twice] = [0, 0, 0];
  const begun = instant();
  while (instant() - begun < minutes * 60_000) {
    const part = await load.open(perSecond, spanMs);
    [sent, lost, twice] = [sent + part.sent, lost + part.lost, twice + part.twice];
    const sample = {
      minutes: (instant() - begun) / 60_000,
      memoryMb: house.memoryMb(),
      p50: percentile(part.delays, 0.5),
    };
    samples.push(sample);
    if (samples.length % 4 === 0) {
      say(
        `  after ${sample.minutes.toFixed(1)} min: ${sample.memoryMb} MB, p50 ${sample.p50.toFixed(1)} ms, ${sent} events`,
      );
    }
  }
  const settled = samples.slice(Math.floor(samples.length * settledAfter));
  const perHour = slope(settled);
  const [first, last] = [settled[0]?.p50 ?? 0, settled.at(-1)?.p50 ?? 0];
  say(
    `  ${sent} events at ${perSecond}/s in ${minutes} min: ${lost} lost, ${twice} twice; memory ${settled[0]?.memoryMb} → ` +
      `${settled.at(-1)?.memoryMb} MB, ${perHour.toFixed(0)} MB an hour after the first third; p50 ${first.toFixed(1)} → ${last.toFixed(1)} ms`,
  );
  noteFigure({ what: `memory under ${perSecond} events/s`, value: perHour, unit: 'MB/h', goal: { most: mostPerHour } });
  const folder = fileURLToPath(new URL('../docs/proof/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  const points = samples.map(({ minutes: x, memoryMb: y }) => ({ x: Math.round(x * 10) / 10, y }));
  const title = `Memory in MB at ${perSecond} events/s`;
  writeFileSync(`${folder}soak.svg`, lineChart({ title, x: 'minutes', series: [{ name: title, points }] }));
  if (lost + twice > 0 || perHour > mostPerHour) process.exitCode = 1;
}
