import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { newNoter, newTrigger } from '../harness/agents.ts';
import { startFront } from '../harness/front.ts';
import { setOut } from '../harness/happenings.ts';
import { freePort, startProcess } from '../harness/processes.ts';
import { type Proof, tiny } from '../harness/row.ts';
import { call, randomBetween, type Stage, stage } from '../harness/stage.ts';
import { startTraffic } from '../harness/traffic.ts';

const hour = 3_600_000;
const offsets = [6 * hour, -6 * hour, 0, 30 * hour, -30 * hour, 90_000, -90_000, 8 * 24 * hour];
// Approvals have expired for the one, reminders are far away for the other.
const apart = [8 * 24 * hour, -30 * hour];
const lateMs = 60_000;

const reminded = (set: Stage): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const { isDraft, subject } of set.mail.world.mailboxOf('ben@sandbox.test')?.messages.values() ?? []) {
    if (isDraft && subject?.startsWith('due ')) counts.set(subject, (counts.get(subject) ?? 0) + 1);
  }
  return counts;
};

/** Cards that are due an hour after moments within the next while; each asks for one reminder at its moment. */
const makeDue = (set: Stage, count: number, soonMs: number, overMs: number): Map<string, number> => {
  const moments = new Map<string, number>();
  for (let n = 0; n < count; n += 1) {
    const moment = Math.floor((Date.now() + soonMs + (n * overMs) / count) / 1_000) * 1_000;
    const card = set.board.newCard({ name: `Due ${n}`, as: 'ben', due: new Date(moment + hour).toISOString() });
    moments.set(`due ${card.id}`, moment);
  }
  return moments;
};

/** Sees when each reminder came. */
const watchReminders = (set: Stage) => {
  const seen = new Map<string, number>();
  const timer = setInterval(() => {
    for (const name of reminded(set).keys()) if (!seen.has(name)) seen.set(name, Date.now());
  }, 200);
  return { seen, end: () => clearInterval(timer) };
};

type Pending = { id: string; digest: string; subject: string };

const askForApprovals = async (origin: string, accountId: string, count: number): Promise<Pending[]> => {
  const asked: Pending[] = [];
  for (let n = 0; n < count; n += 1) {
    const subject = `approved ${n}`;
    const input = { to: ['ben@sandbox.test'], subject, body: 'Hello' };
    const { body } = await call(origin, 'POST', '/v1/steps/mail.send_email/run', { accountId, input });
    asked.push({ ...(body['approval'] as Omit<Pending, 'subject'>), subject });
  }
  return asked;
};

/** The clocks of two processes jump by hours, apart from each other, and the services' differ from both. */
export const clock: Proof = {
  name: 'clock',
  about: 'clocks that jump by hours: nothing starts or is sent twice, nothing is lost, reminders come on time',
  run: async ({ scale, progress, database: given }) => {
    await using set = await stage({ database: given });
    const brief = scale <= tiny;
    const database = await set.sharedDatabase();
    const front = await startFront();
    const ports = [await freePort(), await freePort()];
    const files = [0, 1].map((at) => join(set.dataDir, `clock-${at}`));
    const start = (at: number) =>
      startProcess('start', {
        ...set.environment,
        DATABASE_URL: database.connectionString,
        PUBLIC_URL: front.origin,
        PORT: String(ports[at]),
        INTERVALS: JSON.stringify({ sweepMs: 2_000, lookMs: 20_000, ...(brief ? { pollMs: 1_000 } : {}) }),
        NODE_OPTIONS: `--import ${fileURLToPath(new URL('../harness/moving-clock.ts', import.meta.url))}`,
        MOVED_CLOCK: files[at] ?? '',
      });
    const running = await Promise.all([start(0), start(1)]);
    const [one, two] = running;
    front.use(ports);
    const origins = [one?.origin ?? '', two?.origin ?? ''];
    const origin = front.origin;
    const objections: string[] = [];
    try {
      const { mailAccount, boardAccount } = await setOut(origin, set);
      const { body } = await call(origin, 'GET', '/v1/accounts?integration=mail');
      const noter = (body['items'] as { id: string; name: string }[]).find(({ name }) => name.startsWith('ben'));
      const agentId = await newNoter(origin, noter?.id ?? mailAccount, 'due {{event.data.card.id}}');
      const config = { boards: [set.board.launch().id], leadTime: 'PT1H' };
      await newTrigger(origin, { agentId, type: 'board.card_due_reminder', accountId: boardAccount, config });
      const pending = await askForApprovals(origin, mailAccount, Math.max(brief ? 1 : 3, Math.round(20 * scale)));

      const jumps = Math.max(brief ? 2 : 6, Math.round(40 * scale));
      const traffic = startTraffic({ set, origins, mailAccount, hurry: brief });
      const [first, overMs] = brief ? [3_000, 0] : [20_000, jumps * 4_000];
      const moments = makeDue(set, Math.max(brief ? 1 : 5, Math.round(30 * scale)), first, overMs);
      const reminders = watchReminders(set);
      const kills = brief ? 0 : Math.max(1, Math.round(4 * scale));
      for (let jump = 0; jump < jumps; jump += 1) {
        const offset = brief ? apart[jump] : offsets[Math.floor(Math.random() * offsets.length)];
        await writeFile(files[jump % 2] ?? '', String(offset ?? 0));
        await sleep(brief ? 1_000 : randomBetween(2_000, 6_000));
        if (jump === Math.floor(jumps / 3)) {
          // The services' clocks go their own way: what they gave out has expired there.
          set.mail.control.clock.advance(2 * hour);
          set.board.control.clock.advance(3 * hour);
        }
        if (kills > 0 && jump % Math.floor(jumps / kills) === 2) {
          await running[1]?.kill();
          running[1] = await start(1);
        }
        if (jump % 5 === 4)
          progress(`${jump + 1} of ${jumps} jumps, ${traffic.ended()} requests ended, ${reminded(set).size} reminders`);
      }
      await traffic.end();
      for (const { id, digest, subject } of pending) {
        const { status, body: answer } = await call(origin, 'POST', `/v1/approvals/${id}/approve`, { digest });
        if (status !== 200) objections.push(`${subject} could not be approved: ${JSON.stringify(answer)}`);
      }
      const sent = (subject: string) => set.mail.world.outbox.filter((each) => each.subject === subject).length;
      const unsent = () => pending.filter(({ subject }) => sent(subject) === 0);
      const unreminded = () => [...moments.keys()].filter((name) => !reminders.seen.has(name));
      const until = performance.now() + (brief ? 60_000 : 180_000);
      const left = () => traffic.missing().length + unsent().length + unreminded().length;
      while (left() > 0 && performance.now() < until) await sleep(500);
      const repeated = await traffic.repeat(brief ? 5 : 20);
      await sleep(brief ? 500 : 25_000 * Math.max(scale, 0.3));
      reminders.end();

      const counted = await traffic.count(origins[0] ?? '');
      const doubled = [...reminded(set).values()].reduce((sum, count) => sum + count - 1, 0);
      const delays = [...moments].map(([name, moment]) => (reminders.seen.get(name) ?? 0) - moment);
      const worst = Math.max(...delays);
      progress(`reminders came ${Math.round(Math.min(...delays))} to ${Math.round(worst)} ms after their moment`);
      return {
        guarantee: 'clocks that jump by hours and differ',
        tried: counted.events + counted.sends + counted.rows + pending.length + moments.size,
        ...{ events: counted.events + moments.size, sends: counted.sends + pending.length, kills },
        lost: counted.lost + unsent().length + unreminded().length,
        duplicated:
          counted.duplicated + doubled + pending.reduce((sum, { subject }) => sum + Math.max(0, sent(subject) - 1), 0),
        unknown: counted.unknown,
        worstRecoveryMs: worst,
        objections: [
          ...objections,
          ...repeated,
          ...(counted.untrue > 0 ? [`${counted.untrue} were told as not done but happened`] : []),
          ...(worst > lateMs ? [`a reminder came ${Math.round(worst / 1_000)} s late`] : []),
          ...(Math.min(...delays) < -2_000 ? [`a reminder came ${Math.round(-Math.min(...delays))} ms early`] : []),
        ],
      };
    } finally {
      for (const each of running) await each.stop();
      front.close();
      await database.stop();
    }
  },
};
