import { setTimeout as sleep } from 'node:timers/promises';
import { type Running, startProcess } from '../harness/processes.ts';
import type { Proof } from '../harness/row.ts';
import { call, connectBoard, connectMail, randomBetween, stage } from '../harness/stage.ts';
import { turnTaker } from '../harness/turn-taker.ts';

type Stage = Awaited<ReturnType<typeof stage>>;
type Model = Awaited<ReturnType<typeof turnTaker>>;

const intervals = { leaseMs: 1_000, leaseRenewMs: 300, takeoverMs: 200, writeDeadlineMs: 2_000 };
const allowedMs = 30_000;
// Less than a write's deadline: what a service does later than that nobody can wait for.
const heldMs = intervals.writeDeadlineMs - 500;

/** Where the process dies: tells when the moment has come, by what the service sees or by how the run stands. */
type Point = {
  name: string;
  arm?: (set: Stage, model: Model) => () => boolean;
  /** As soon as the run waits for a person, or has just been approved. */
  at?: 'waits' | 'approved';
  /** So long after the run has begun. */
  afterMs?: number;
};

const strike =
  (service: 'mail' | 'board', match: { method: string; path: string }, kind: 'latency' | 'accept_then') =>
  (set: Stage): (() => boolean) => {
    const { faults } = set[service].control;
    const { id } = faults.add({ match, kind, ms: heldMs, times: 1 });
    // A fault that has struck is gone.
    return () => !faults.list().some((each) => each.id === id);
  };
const turn = (n: number) => (_: Stage, model: Model) => model.hold(n);

const card = { method: 'POST', path: '^/1/cards' };
const draft = { method: 'POST', path: '^/v1.0/me/messages$' };
const readBack = { method: 'GET', path: '^/v1.0/me/messages/' };
const send = { method: 'POST', path: '/send$' };

const points: readonly Point[] = [
  { name: 'it was approved', at: 'approved' },
  { name: 'the mail is sent, its answer lost', arm: strike('mail', send, 'accept_then') },
  { name: 'the card is made, its answer lost', arm: strike('board', card, 'accept_then') },
  { name: 'the model takes its second turn', arm: turn(1) },
  { name: 'the mail is being sent', arm: strike('mail', send, 'latency') },
  { name: 'the model takes its first turn', arm: turn(0) },
  { name: 'the card is being made', arm: strike('board', card, 'latency') },
  { name: 'it waits for a person', at: 'waits' },
  { name: 'the draft is being written', arm: strike('mail', draft, 'latency') },
  { name: 'the draft is written, its answer lost', arm: strike('mail', draft, 'accept_then') },
  { name: 'the draft is read back', arm: strike('mail', readBack, 'latency') },
  { name: 'the model takes its last turn', arm: turn(2) },
];
const inShort = 3;
const randomInstants = 50;

const made = async (origin: string, path: string, body: unknown): Promise<string> => {
  const answer = await call(origin, 'POST', path, body);
  if (answer.status >= 300) throw new Error(`POST ${path}: ${JSON.stringify(answer.body)}`);
  return String(answer.body['id'] ?? answer.body['runId']);
};

const newResponder = async (origin: string, set: Stage, model: Model, listId: string): Promise<string> => {
  const boardId = await connectBoard(origin, set.board);
  const mailId = await connectMail(origin, set.mail, 'ada@sandbox.test');
  const input = { name: 'title', type: 'string', required: true };
  const tool = (name: string, step: string, account: string, given: object) =>
    made(origin, '/v1/tools', {
      name,
      inputs: [input],
      steps: [{ key: 'it', step, account: { id: account }, input: given, permission: 'autopilot' }],
    });
  const cardTool = await tool('Make card', 'board.create_card', boardId, { idList: listId, name: '{{inputs.title}}' });
  const mailTool = await tool('Write mail', 'mail.send_email', mailId, {
    to: ['ben@sandbox.test'],
    subject: '{{inputs.title}}',
    body: 'Hello',
  });
  return made(origin, '/v1/agents', {
    name: 'Responder',
    tools: [{ toolId: cardTool }, { toolId: mailTool }],
    runner: { type: 'model', baseUrl: model.baseUrl, model: 'x' },
  });
};

type Run = { status: string; finishedAt: string | null; error: { message: string } | null };
const read = async (origin: string, runId: string): Promise<Run> =>
  (await call(origin, 'GET', `/v1/runs/${runId}`)).body as Run;

/** A person who approves whatever waits; answers whether there was something. */
const approve = async (origin: string): Promise<boolean> => {
  const { body } = await call(origin, 'GET', '/v1/approvals?status=pending');
  const [first] = (body as { items: { id: string; digest: string }[] }).items;
  if (first === undefined) return false;
  await call(origin, 'POST', `/v1/approvals/${first.id}/approve`, { digest: first.digest });
  return true;
};

/** Lets the run go until its moment has come; false when it ended before. */
const comesTo = async (origin: string, runId: string, { at, afterMs }: Point, isStruck: () => boolean) => {
  let isOver = false;
  const walk = async (): Promise<boolean> => {
    while (!isOver && !isStruck()) {
      const { status, finishedAt } = await read(origin, runId);
      if (finishedAt !== null) return false;
      if (status === 'waiting_approval') {
        if (at === 'waits') return true;
        if ((await approve(origin)) && at === 'approved') return true;
      }
      await sleep(20);
    }
    return true;
  };
  // An alarm interrupts whatever is being asked just then.
  const alarms = afterMs === undefined ? [] : [sleep(afterMs, true, { ref: false })];
  const comes = await Promise.race([walk(), ...alarms]);
  isOver = true;
  return comes;
};

const counted = async (set: Stage, listId: string, title: string) => {
  const outbox = (await (await fetch(`${set.mail.url}/_control/outbox`)).json()) as { items: { subject: string }[] };
  const cards = set.board.cardsIn(listId).filter(({ name }) => name === title).length;
  return [cards, outbox.items.filter(({ subject }) => subject === title).length] as const;
};

/** A responder with three turns, a card and a mail that a person approves; its process dies at every point of it. */
export const responder: Proof = {
  name: 'responder',
  about: 'a responder killed at named points and random instants ends well, each effect once',
  run: async ({ scale, progress, database: given }) => {
    await using set = await stage({ database: given });
    const database = await set.sharedDatabase();
    const model = await turnTaker((title) =>
      ['make_card', 'write_mail'].map((name) => ({ name, arguments: { title } })),
    );
    const environment = {
      ...set.environment,
      DATABASE_URL: database.connectionString,
      DATABASE_POOL: '6',
      DEMO: 'off',
      INTERVALS: JSON.stringify(intervals),
    };
    let running: Running = await startProcess('start', environment);
    const row = { lost: 0, duplicated: 0, unknown: 0, worstRecoveryMs: 0 };
    const objections: string[] = [];
    let tried = 0;
    let drawn = 0;
    let lastsMs = 0;
    try {
      const list = set.board.newList();
      const agentId = await newResponder(running.origin, set, model, list.id);
      const begin = (title: string) => made(running.origin, `/v1/agents/${agentId}/runs`, { input: { title } });

      /** Kills the process when the moment has come; false when the run ended before it. */
      const killAt = async (point: Point, n: number, of: number): Promise<boolean> => {
        const title = `Responder ${point.name} ${drawn++}`;
        const isStruck = point.arm?.(set, model) ?? (() => false);
        const runId = await begin(title);
        const begun = performance.now();
        if (!(await comesTo(running.origin, runId, point, isStruck))) {
          // How long it took just now tells more than how long it took before.
          lastsMs = performance.now() - begun;
          return false;
        }
        const killedAt = Date.now();
        await running.kill();
        for (const service of [set.mail, set.board]) service.control.faults.clear();
        running = await startProcess('start', environment);
        const ready = performance.now();
        let run = await read(running.origin, runId);
        const isHit = run.finishedAt === null || Date.parse(run.finishedAt) > killedAt;
        while (run.finishedAt === null && performance.now() - ready < 2 * allowedMs) {
          if (run.status === 'waiting_approval') await approve(running.origin);
          await sleep(50);
          run = await read(running.origin, runId);
        }
        const tookMs = performance.now() - ready;
        row.worstRecoveryMs = Math.max(row.worstRecoveryMs, tookMs);
        const counts = await counted(set, list.id, title);
        const how = `${run.status} after ${Math.round(tookMs)} ms, ${counts.join(' + ')}`;
        progress(`${n + 1}/${of} ${point.name}: ${how}${run.error === null ? '' : `, ${JSON.stringify(run.error)}`}`);
        row.lost += counts.filter((count) => count === 0).length;
        row.duplicated += counts.reduce((sum, count) => sum + Math.max(0, count - 1), 0);
        if (run.status !== 'succeeded') row.unknown += 1;
        if (run.finishedAt === null) objections.push(`${point.name}: the run never ended`);
        else if (run.status !== 'succeeded') objections.push(`${point.name}: ${run.error?.message}`);
        return isHit;
      };

      const named = scale < 1 ? points.slice(0, inShort) : points;
      for (const [n, point] of named.entries()) {
        if (await killAt(point, n, named.length)) tried += 1;
        else objections.push(`${point.name}: never came`);
      }

      const wanted = scale < 1 ? 0 : Math.round(randomInstants * scale);
      for (let n = 0; n < Math.min(3, wanted); n++) {
        const begun = performance.now();
        await comesTo(running.origin, await begin(`Undisturbed ${n}`), { name: 'undisturbed' }, () => false);
        lastsMs = Math.max(lastsMs, performance.now() - begun);
      }
      // A moment drawn after the end hits nothing, and is drawn again.
      let hits = 0;
      for (let draws = 0; hits < wanted && draws < 4 * wanted; draws++) {
        const afterMs = randomBetween(0, lastsMs);
        if (await killAt({ name: `${Math.round(afterMs)} ms of ${Math.round(lastsMs)}`, afterMs }, hits, wanted))
          hits += 1;
      }
      if (hits < wanted) objections.push(`only ${hits} of ${wanted} random instants lay within the run`);
      tried += hits;
      // A short form runs beside other tests, on a machine that is busy with them.
      if (scale === 1 && row.worstRecoveryMs > allowedMs)
        objections.push(`recovery took ${Math.round(row.worstRecoveryMs)} ms`);
      return {
        guarantee: `kill -9 of a responder at ${tried} points and instants`,
        tried,
        kills: tried,
        sends: tried,
        ...row,
        objections,
      };
    } finally {
      await running.stop();
      await model.close();
      await database.stop();
    }
  },
};
