import { serveBoardStub } from './lib/board-stub.ts';
import { createLoad } from './lib/event-load.ts';
import { noteFigure } from './lib/figures.ts';
import { serveAsRole } from './lib/roles.ts';
import { openWatchedHouse } from './lib/watched-house.ts';

/*
 * The same notifications over one, two and four processes that share a database, and over one that carries runs out beside
 * one that only serves the API and leaves its runs to the queue. All of them share this machine's cores with the database,
 * the service and the load, so events/s say little; what a further process costs is in the processor time per event.
 */

const houses = [
  { processes: 1, others: 'start' },
  { processes: 2, others: 'start' },
  { processes: 4, others: 'start' },
  { processes: 2, others: 'api' },
] as const;
const warmUpMs = 8_000;
const boards = 400;
const saturationMs = 8_000;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const [role] = process.argv.slice(2);
if (role === 'stub') serveAsRole(await serveBoardStub());
else await main();

async function main(): Promise<void> {
  let alone: number | undefined;
  for (const { processes, others } of houses) {
    await using house = await openWatchedHouse(import.meta.url, { accounts: boards, processes, others });
    const load = createLoad(house.origins, house.watched, house.stub.origin);
    await load.warm(3 * boards);
    await load.closed(warmUpMs);
    const plural = processes === 1 ? 'process' : 'processes';
    const name = others === 'api' ? '1 process and 1 that only serves the API' : `${processes} ${plural}`;
    const before = house.spent();
    const { sent, perSecond, lost, twice } = await load.closed(saturationMs);
    const after = house.spent();
    const [own, database] = [after.own - before.own, after.database - before.database].map((s) => (s * 1_000) / sent);
    const cpuMs = (own ?? 0) + (database ?? 0);
    alone ??= cpuMs;
    say(
      `  ${name}: ${perSecond.toFixed(0)} events/s, CPU ${own?.toFixed(2)} ms + ` +
        `PostgreSQL ${database?.toFixed(2)} ms per event, ${house.memoryMb()} MB together, ${lost} lost, ` +
        `${twice} twice`,
    );
    if (lost + twice > 0) process.exitCode = 1;
    const goal = others === 'api' ? {} : { goal: { most: 1.5 } };
    if (processes > 1)
      noteFigure({ what: `CPU per event, ${name} to one`, value: cpuMs / alone, unit: 'ratio', ...goal });
  }
}
