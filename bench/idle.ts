import { setTimeout as sleep } from 'node:timers/promises';
import { defaultIntervals, type Intervals } from '#clock';
import { serveBoardStub } from './lib/board-stub.ts';
import { createLoad } from './lib/event-load.ts';
import { noteFigure } from './lib/figures.ts';
import { percentile } from './lib/measure.ts';
import { serveAsRole } from './lib/roles.ts';
import { openWatchedHouse } from './lib/watched-house.ts';

/*
 * 20,000 accounts with 100,000 triggers, each on a board of its own, and nothing happens: what one process costs while it
 * rests, and how fast a single event among them becomes a call. Looking and checking is set far away, so that the rest
 * is one; what they would ask of the services is told on paper.
 */

const accounts = 20_000;
const perAccount = 5;
const settleMs = 20_000;
const restMs = 30_000;
const goals = { memoryMb: 500, cpuShare: 0.1 };
const far = 86_400_000;
const intervals: Partial<Intervals> = { lookMs: far, pollMs: far, checkMs: far, resyncMs: far, orphanSweepMs: far };

const [role] = process.argv.slice(2);
if (role === 'stub') serveAsRole(await serveBoardStub());
else await main();

/** Calls a second that so many watches cost at the usual intervals, with notifications coming in and without. */
function onPaper(watches: number, holders: number): string {
  const { lookMs, pollMs, checkMs, orphanSweepMs } = defaultIntervals;
  const looks = (watches / lookMs) * 1_000;
  const checks = (watches / checkMs) * 1_000 + (holders / orphanSweepMs) * 1_000;
  const polled = (watches / pollMs) * 1_000;
  const shown = (perSecond: number) => perSecond.toFixed(0);
  return `${shown(looks)} looks/s and ${shown(checks)} checks/s while notifications come in, ${shown(polled)} looks/s without`;
}

async function main(): Promise<void> {
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  await using house = await openWatchedHouse(import.meta.url, { accounts, perAccount, intervals });
  const { watched } = house;
  await sleep(settleMs);
  const before = house.spent();
  await sleep(restMs);
  const share = (seconds: number) => seconds / (restMs / 1_000);
  const after = house.spent();
  const own = share(after.own - before.own);
  const stored = share(after.database - before.database);
  const memory = house.memoryMb();
  say(
    `  at rest with ${accounts} accounts and ${watched.length} triggers: ${memory} MB (goal under ${goals.memoryMb}), ` +
      `CPU ${(own * 100).toFixed(1)} % of a core (goal under ${goals.cpuShare * 100}), PostgreSQL ${(stored * 100).toFixed(1)} %`,
  );
  const { delays, lost, twice } = await createLoad(house.origin, watched, house.stub.origin).open(5, 6_000);
  const [first, ...others] = delays;
  say(
    `  one event among them: ${first?.toFixed(1)} ms for the first, then p50 ${percentile(others, 0.5).toFixed(1)} ms, ` +
      `${lost} lost, ${twice} twice`,
  );
  say(`  on paper, boards: ${onPaper(watched.length, accounts)}`);
  say(`  on paper, as many mailboxes: ${onPaper(accounts, accounts)}`);
  noteFigure({
    what: `memory at rest, ${watched.length} triggers`,
    value: memory,
    unit: 'MB',
    goal: { most: goals.memoryMb },
  });
  const share100 = (own + stored) * 100;
  noteFigure({ what: 'of a core at rest', value: share100, unit: '%', goal: { most: goals.cpuShare * 100 } });
  process.exitCode = memory < goals.memoryMb && own + stored < goals.cpuShare && lost + twice === 0 ? 0 : 1;
}
