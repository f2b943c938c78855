import { serveBoardStub } from './lib/board-stub.ts';
import { createLoad } from './lib/event-load.ts';
import { noteFigure } from './lib/figures.ts';
import { openWatchedHouse } from './lib/watched-house.ts';

/*
 * The same notifications over one, two and four processes that share a database. All of them share this machine's cores
 * with the database, the service and the load, so events/s say little; what a further process costs is in the processor
 * time per event.
 */

const counts = [1, 2, 4];
const boards = 400;
const saturationMs = 8_000;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const [role] = process.argv.slice(2);
if (role === 'stub') process.send?.(await serveBoardStub());
else await main();

async function main(): Promise<void> {
  let alone: number | undefined;
  for (const processes of counts) {
    await using house = await openWatchedHouse(import.meta.url, { accounts: boards, processes });
    const load = createLoad(house.origins, house.watched, house.stub.origin);
    await load.warm(3 * boards);
    const before = house.spent();
    const { sent, perSecond, lost, twice } = await load.closed(saturationMs);
    const after = house.spent();
    const [own, database] = [after.own - before.own, after.database - before.database].map((s) => (s * 1_000) / sent);
    const cpuMs = (own ?? 0) + (database ?? 0);
    alone ??= cpuMs;
    say(
      `  ${processes} process${processes === 1 ? '' : 'es'}: ${perSecond.toFixed(0)} events/s, CPU ${own?.toFixed(2)} ms + ` +
        `PostgreSQL ${database?.toFixed(2)} ms per event, ${house.memoryMb()} MB together, ${lost} lost, ` +
        `${twice} twice`,
    );
    if (lost + twice > 0) process.exitCode = 1;
    const what = `CPU per event, ${processes} processes to one`;
    if (processes > 1) noteFigure({ what, value: cpuMs / alone, unit: 'ratio', goal: { most: 1.5 } });
  }
}
