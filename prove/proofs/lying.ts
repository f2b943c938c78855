import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { lies, startLiar } from '../harness/liar.ts';
import { freePort, startProcess } from '../harness/processes.ts';
import { type Proof, tiny } from '../harness/row.ts';
import { type Answer, call, connectBoard, connectMail, type Stage, stage } from '../harness/stage.ts';

type Accounts = { mail: string; board: string };

/** What is asked while the service lies, about which of its requests, and how often the thing is found there. */
type Deed = {
  name: string;
  service: 'mail' | 'board';
  step: string;
  about: RegExp;
  input(name: string, set: Stage): Record<string, unknown>;
  found?: (name: string, set: Stage) => number;
};

const outbox = (name: string, set: Stage) => set.mail.world.outbox.filter(({ subject }) => subject === name).length;

const deeds: readonly Deed[] = [
  {
    name: 'read cards',
    service: 'board',
    step: 'board.get_list_cards',
    about: /^GET \/1\/lists\//,
    input: (_, set) => ({ list: set.board.lists()[0]?.id }),
  },
  {
    name: 'read mails',
    service: 'mail',
    step: 'mail.find_email',
    about: /^GET \/v1\.0\/me\//,
    input: () => ({ limit: 100 }),
  },
  {
    name: 'make a card',
    service: 'board',
    step: 'board.create_card',
    about: /^POST \/1\/cards/,
    input: (name, set) => ({ idList: set.board.lists()[0]?.id, name }),
    found: (name, set) => set.board.cardsIn(set.board.lists()[0]?.id ?? '').filter((card) => card.name === name).length,
  },
  {
    name: 'write the draft of a mail',
    service: 'mail',
    step: 'mail.send_email',
    about: /^POST \/v1\.0\/me\/messages /,
    input: (name) => ({ to: ['ben@sandbox.test'], subject: name, body: 'Hello' }),
    found: outbox,
  },
  {
    name: 'send a mail',
    service: 'mail',
    step: 'mail.send_email',
    about: /^POST \/v1\.0\/me\/messages\/[^/]+\/send /,
    input: (name) => ({ to: ['ben@sandbox.test'], subject: name, body: 'Hello' }),
    found: outbox,
  },
];

const typed = new Set([
  'done',
  'invalid_input',
  'too_large',
  'not_found',
  'forbidden',
  'reconnect_needed',
  'upstream_rejected',
  'upstream_unavailable',
  'rate_limited',
  'outcome_unknown',
]);
// Whether a write happened is looked up only after its time is over, and a read may wait for half a minute.
const slow = new Set([
  'another host',
  'more than anybody can hold',
  'a byte now and then',
  'headers without end',
  'no HTTP at all',
]);
const slowest = 'a byte now and then';
const allowedMs = 60_000;
const moreMemory = 300;

const codeOf = (answer: Answer): string =>
  answer.status < 300 ? 'done' : String((answer.body['error'] as { code?: string } | undefined)?.code);

const megabytesOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

/** Every kind of lie about every kind of request; what happened is counted behind the liar. */
export const lying: Proof = {
  name: 'lying',
  about:
    'services that answer nonsense, half, too much, too slowly or untruly: typed errors, nothing twice, all bounded',
  run: async ({ scale, progress, database }) => {
    await using set = await stage({ database });
    const brief = scale <= tiny;
    const liars = { mail: await startLiar(set.mail.port), board: await startLiar(set.board.port) };
    const { origin, child, stop } = await startProcess('start', {
      ...set.environment,
      PORT: String(await freePort()),
      INTERVALS: '{"writeDeadlineMs":4000}',
      MAIL_API_URL: `${liars.mail.url}/v1.0`,
      BOARD_API_URL: liars.board.url,
    });
    const objections: string[] = [];
    const total = { tried: 0, lost: 0, duplicated: 0, unknown: 0, sends: 0 };
    let worstMs = 0;
    try {
      const accounts: Accounts = {
        board: await connectBoard(origin, set.board),
        mail: await connectMail(origin, set.mail, 'ada@sandbox.test'),
      };
      set.board.limits.set({ off: true });
      const ask = async ({ step, service, input }: Deed, name: string): Promise<string> => {
        const body = { accountId: accounts[service], input: input(name, set), permission: 'autopilot' };
        for (;;) {
          const began = performance.now();
          const answer = await call(origin, 'POST', `/v1/steps/${step}/run`, body, { 'idempotency-key': name });
          worstMs = Math.max(worstMs, performance.now() - began);
          if (codeOf(answer) !== 'conflict') return codeOf(answer);
          await sleep(500);
        }
      };
      for (const deed of deeds) await ask(deed, `warm ${deed.name}`);
      const before = megabytesOf(child.pid ?? 0);
      let peak = before;
      const watching = setInterval(() => {
        peak = Math.max(peak, megabytesOf(child.pid ?? 0));
      }, 50);

      const times = Math.max(1, Math.round(4 * scale));
      for (const [kind, lie] of Object.entries(lies)) {
        const seen = new Map<string, number>();
        const inTime = deeds.filter(({ found }) => !brief || (kind !== slowest && !(slow.has(kind) && found)));
        for (const deed of inTime) {
          const liar = liars[deed.service];
          const struck = liar.struck();
          liar.tell(lie, deed.about);
          const names = Array.from({ length: times }, (_, n) => `${deed.name}: ${kind} ${n}`);
          const codes = await Promise.all(names.map((name) => ask(deed, name)));
          liar.tell(undefined);
          if (liar.struck() === struck) objections.push(`nobody was lied to: ${deed.name}, ${kind}`);
          for (const [at, name] of names.entries()) {
            const code = codes[at] ?? '';
            seen.set(code, (seen.get(code) ?? 0) + 1);
            total.tried += 1;
            if (!typed.has(code)) objections.push(`${name} was answered with ${code}`);
            const count = deed.found?.(name, set) ?? 0;
            if (count > 1) total.duplicated += 1;
            if (deed.found === undefined) continue;
            if (deed.service === 'mail') total.sends += 1;
            if (code === 'outcome_unknown') total.unknown += 1;
            // Whoever says that it is done and has done nothing cannot be caught at once.
            else if (code === 'done' && count === 0 && !kind.startsWith('done, but')) total.lost += 1;
            else if (code !== 'done' && count > 0) objections.push(`${name} was told as ${code}, but happened`);
          }
          if (!(await fetch(`${origin}/healthz`)).ok) objections.push(`not alive after ${deed.name}: ${kind}`);
        }
        progress(`${kind}: ${[...seen].map(([code, count]) => `${code} × ${count}`).join(', ')}`);
      }
      clearInterval(watching);
      progress(
        `memory: ${Math.round(before)} MB before, ${Math.round(peak)} MB at most; slowest ${Math.round(worstMs)} ms`,
      );

      const began = performance.now();
      for (const deed of deeds) {
        const code = await ask(deed, `afterwards: ${deed.name}`);
        if (code !== 'done') objections.push(`${deed.name} does not work afterwards: ${code}`);
      }
      if (peak > before + moreMemory) objections.push(`memory grew by ${Math.round(peak - before)} MB`);
      if (worstMs > allowedMs) objections.push(`an answer took ${Math.round(worstMs)} ms`);
      const guarantee = `${Object.keys(lies).length} kinds of lies about ${deeds.length} kinds of requests`;
      return { guarantee, ...total, worstRecoveryMs: performance.now() - began, objections };
    } finally {
      await stop();
      for (const liar of Object.values(liars)) liar.close();
    }
  },
};
