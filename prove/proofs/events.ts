import { setTimeout as sleep } from 'node:timers/promises';
import { newNoter, newTrigger } from '../harness/agents.ts';
import { startBalancer } from '../harness/balancer.ts';
import { freePort, type Running, startProcess } from '../harness/processes.ts';
import type { Proof } from '../harness/row.ts';
import { type Answer, call, connectMail, randomBetween, stage } from '../harness/stage.ts';

type Stage = Awaited<ReturnType<typeof stage>>;

const reader = 'ada@sandbox.test';
// A service lets only few calls at once into one mailbox, and a killed process keeps its places for a while.
const writers = ['ben@sandbox.test', 'cy@sandbox.test'];
const allowedMs = 300_000;

/** The subjects of all drafts: each start of an agent left one. */
const notes = (set: Stage): string[] => {
  const messages = writers.flatMap((each) => [...(set.mail.world.mailboxOf(each)?.messages.values() ?? [])]);
  return messages.filter(({ isDraft }) => isDraft).map(({ subject }) => subject ?? '');
};

const connectBoard = async (origin: string, set: Stage): Promise<string> => {
  const { key, token, appSecret } = set.board.credentials('ada');
  const auth = { type: 'key_token', key, token, secret: appSecret };
  const { body } = await call(origin, 'POST', '/v1/accounts', { integration: 'board', auth });
  return String(body['id']);
};

/** Makes things happen at the services, and remembers what an agent must have been started for. */
const makeHappen = async (set: Stage, count: number, perSecond: number, progress: (done: number) => void) => {
  const expected: string[] = [];
  const board = set.board.launch();
  const [todo, doing] = set.board.lists();
  const labels = set.board.labels();
  const cards = Array.from({ length: 20 }, () => set.board.newCard({ as: 'ben' }));
  const labelled = new Set<string>();
  const newest = () => set.board.actions(board.id).at(-1)?.id ?? '';
  const deeds = [
    async (n: number) => {
      const answer = await set.mail.app.request('/_control/deliver', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ to: reader, from: 'luis@contoso.example', subject: `Mail ${n}`, body: 'Hello' }),
      });
      expected.push(`mail ${((await answer.json()) as { immutableId: string }).immutableId}`);
    },
    async (n: number) => {
      set.board.newCard({ name: `Card ${n}`, as: 'ben', ...(todo === undefined ? {} : { list: todo }) });
      expected.push(`card ${newest()}`);
    },
    async (n: number) => {
      const card = cards[n % cards.length];
      if (card === undefined) return;
      set.board.comment(card, `Comment ${n}`, 'ben');
      expected.push(`comment ${newest()}`);
    },
    async (n: number) => {
      const card = cards[n % cards.length];
      const target = card?.idList === todo?.id ? doing : todo;
      if (card === undefined || target === undefined) return;
      set.board.changeCard(card, { list: target }, 'ben');
      expected.push(`move ${newest()}`);
    },
    async (n: number) => {
      // Labels are never listed, so that these are told by notification or found in the state of the cards.
      const card = cards[n % cards.length];
      const label = labels[Math.floor(n / cards.length) % labels.length];
      const pair = `label ${card?.id} ${label?.id}`;
      if (card === undefined || label === undefined || labelled.has(pair)) return;
      labelled.add(pair);
      const all = [...labels.filter(({ id }) => card.idLabels.includes(id)), label];
      set.board.changeCard(card, { labels: all }, 'ben');
      expected.push(pair);
    },
  ];
  const begun = performance.now();
  for (let n = 0; expected.length < count; n += 1) {
    await deeds[n % deeds.length]?.(n);
    const ahead = (expected.length / perSecond) * 1_000 - (performance.now() - begun);
    if (ahead > 0) await sleep(ahead);
    if (n % 500 === 499) progress(expected.length);
  }
  return expected;
};

/** Kills one process or the other every few seconds, and starts it again. */
const killing = (restart: (at: number) => Promise<void>, running: Running[]) => {
  let over = false;
  let kills = 0;
  const loop = async (): Promise<void> => {
    while (!over) {
      // The first comes early, so that a short form does not end before anything was killed.
      await (kills === 0 ? sleep(randomBetween(1_000, 3_000)) : sleep(randomBetween(4_000, 10_000)));
      if (over) return;
      const at = kills % running.length;
      await running[at]?.kill();
      kills += 1;
      await sleep(randomBetween(200, 1_500));
      await restart(at);
    }
  };
  const looping = loop();
  return {
    end: async () => {
      over = true;
      await looping;
      return kills;
    },
  };
};

/** Notifications are dropped, doubled, shuffled and delayed while two processes are killed in turn. */
export const events: Proof = {
  name: 'events',
  about: 'every mail and board event starts its agent exactly once, whatever happens to notifications and processes',
  run: async ({ scale, progress, database: given }) => {
    await using set = await stage({ database: given });
    const database = await set.sharedDatabase();
    const balancer = await startBalancer();
    const environment = {
      ...set.environment,
      DATABASE_URL: database.connectionString,
      PUBLIC_URL: balancer.origin,
      // Gaps are found sooner than the 4 min of every day, so that the proof ends.
      INTERVALS: scale < 1 ? '{"lookMs":4000,"pollMs":3000}' : '{"lookMs":20000,"pollMs":10000}',
    };
    const ports = [await freePort(), await freePort()];
    const start = (at: number) => startProcess('start', { ...environment, PORT: String(ports[at]) });
    const running = [await start(0), await start(1)];
    balancer.use(ports);
    try {
      const origin = balancer.origin;
      const boardAccount = await connectBoard(origin, set);
      const mailAccount = await connectMail(origin, set.mail, reader);
      const noteAccounts: string[] = [];
      for (const each of writers) noteAccounts.push(await connectMail(origin, set.mail, each));
      const boards = [set.board.launch().id];
      const triggers: [type: string, accountId: string, config: object, note: string][] = [
        ['mail.new_email', mailAccount, {}, 'mail {{event.data.message.id}}'],
        ['board.new_card', boardAccount, { boards }, 'card {{event.data.action.id}}'],
        ['board.new_comment', boardAccount, { boards }, 'comment {{event.data.action.id}}'],
        ['board.card_moved', boardAccount, { boards }, 'move {{event.data.action.id}}'],
        ['board.label_added_to_card', boardAccount, { boards }, 'label {{event.data.card.id}} {{event.data.label.id}}'],
      ];
      for (const [at, [type, accountId, config, note]] of triggers.entries()) {
        const agentId = await newNoter(origin, noteAccounts[at % noteAccounts.length] ?? '', note);
        await newTrigger(origin, { agentId, type, accountId, config });
      }
      const faults = { drop: 0.1, duplicate: 0.2, shuffle: true, delayMs: 50 };
      set.mail.control.outgoing.set(faults);
      set.board.control.outgoing.set(faults);
      const kills = killing(async (at) => {
        running[at] = await start(at);
      }, running);

      const before = notes(set).length;
      const count = Math.max(100, Math.round(10_000 * scale ** 3));
      const expected = await makeHappen(set, count, 20, (done) =>
        progress(`${done} of ${count} have happened, ${notes(set).length - before} agents have started`),
      );
      const killed = await kills.end();
      const happened = performance.now();
      progress(`${expected.length} have happened, ${killed} processes were killed; waiting for what was missed`);
      const missing = () => {
        const found = new Set(notes(set));
        return expected.filter((name) => !found.has(name));
      };
      // As long as agents start, the backlog of the last kills is being worked off.
      let left = missing().length;
      let progressed = performance.now();
      while (left > 0 && performance.now() - progressed < allowedMs) {
        await sleep(1_000);
        const now = missing().length;
        if (now < left) progressed = performance.now();
        left = now;
      }
      const worstRecoveryMs = performance.now() - happened;
      // A second start would come from a late notification or another look.
      await sleep(Math.max(25_000 * scale, 5_000));
      const counts = new Map<string, number>();
      for (const name of notes(set)) counts.set(name, (counts.get(name) ?? 0) + 1);
      const wanted = new Set(expected);
      const lost = missing();
      const strays = [...counts.keys()].filter(
        (name) => /^(mail|card|comment|move|label) /.test(name) && !wanted.has(name),
      );
      const outcomes = await outcomesOf(origin);
      return {
        guarantee: 'events under lost, doubled, shuffled notifications and kills',
        tried: expected.length,
        events: expected.length,
        kills: killed,
        lost: lost.length,
        duplicated: expected.reduce((sum, name) => sum + Math.max(0, (counts.get(name) ?? 0) - 1), 0),
        unknown: 0,
        worstRecoveryMs,
        objections: [
          ...(lost.length > 0 ? [`never started: ${lost.slice(0, 5).join(', ')}`] : []),
          // The cards that the story begins with are made after the triggers, too.
          ...(strays.length > 20
            ? [`${strays.length} starts that nobody asked for: ${strays.slice(0, 3).join(', ')}`]
            : []),
          ...(killed > 0 ? [] : ['nothing was killed']),
          ...(outcomes.failed > 0 ? [`${outcomes.failed} events are without an outcome`] : []),
        ],
      };
    } finally {
      for (const each of running) await each.stop();
      balancer.close();
      await database.stop();
    }
  },
};

const outcomesOf = async (origin: string): Promise<{ failed: number }> => {
  const { body }: Answer = await call(origin, 'GET', '/v1/events?outcome=failed&limit=100');
  return { failed: (body as unknown as { items: unknown[] }).items.length };
};
