import { setTimeout as sleep } from 'node:timers/promises';
import { newNoter, newSingleStepper, newTrigger } from '../harness/agents.ts';
import { commenter, compare, mailComes, notes, setOut } from '../harness/happenings.ts';
import { freePort, startProcess } from '../harness/processes.ts';
import { type Proof, tiny } from '../harness/row.ts';
import { call, type Stage, stage } from '../harness/stage.ts';

const tries = 8;
const allowedMs = 30_000;

type Event = { upstreamId: string; outcome: string; reason?: string; retry?: { state: string; attempts: number } };

const listed = async (origin: string, path: string): Promise<unknown[]> => {
  const found: unknown[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { body } = await call(origin, 'GET', `${path}&limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`);
    const page = body as { items?: unknown[]; nextCursor?: string };
    found.push(...(page.items ?? []));
    cursor = page.nextCursor;
  }
  return found;
};

/** Mails that nobody would write, all of which are legal enough to arrive. */
const absurd: readonly [name: string, mail: Record<string, unknown>][] = [
  ['a subject of 50,000 characters', { subject: 's'.repeat(50_000) }],
  ['no subject, no text', { subject: '', body: '' }],
  [
    'invisible and turned-around characters',
    { subject: '\u202Egnp.exe\u2066\u200B\uFEFF\u0007', body: '\u0000\u{E0041}\u202E' },
  ],
  ['half a character', { subject: 'half \uD83D', body: 'other half \uDE00' }],
  ['templates', { subject: '{{secrets.x}} ${7*7} {{event.data}}', body: '{{steps.note.output}}' }],
  ['20,000 nested elements', { html: '<div>'.repeat(20_000) }],
  ['a body of 4 MB', { body: 'word '.repeat(800_000) }],
  ['500 recipients', { cc: Array.from({ length: 500 }, (_, n) => `person${n}@contoso.example`) }],
  ['400 headers', { headers: Array.from({ length: 400 }, (_, n) => ({ name: `X-H${n}`, value: 'v'.repeat(200) })) }],
  [
    '200 attachments with odd names',
    { attachments: Array.from({ length: 200 }, (_, n) => ({ name: `../..\u202E/${n}.exe`, contentBytes: 'AAAA' })) },
  ],
  ['more than 25 MB', { attachments: [{ name: 'big.bin', size: 30_000_000 }] }],
];

/** Mails and cards that the service never lets us read: it fails, hangs up, or lets us wait. */
const makePoison = async (set: Stage, rounds: number): Promise<{ mails: string[]; cards: string[] }> => {
  const kinds = [{ kind: 'status' as const, status: 500 }, { kind: 'reset' as const }];
  const mails: string[] = [];
  const cards: string[] = [];
  set.mail.control.outgoing.set({ pause: true });
  set.board.control.outgoing.set({ pause: true });
  for (let n = 0; n < rounds; n += 1) {
    const fault = kinds[n % kinds.length] ?? { kind: 'reset' as const };
    const id = (await mailComes(set, `Poison ${n}`)).slice('mail '.length);
    mails.push(id);
    set.mail.control.faults.add({ match: { method: 'GET', path: `/messages/${id.replace(/=+$/, '')}.*` }, ...fault });
    const card = set.board.newCard({ name: `Poison ${n}`, as: 'ben' });
    cards.push(set.board.actions(card.id).at(-1)?.id ?? '');
    // The last one is never answered in time, eight times over.
    const slow = n === rounds - 1 && rounds > 2 ? { kind: 'latency' as const, ms: 45_000 } : fault;
    set.board.control.faults.add({ match: { method: 'GET', path: `/1/cards/${card.id}` }, ...slow });
  }
  set.mail.control.outgoing.set({ pause: false });
  set.board.control.outgoing.set({ pause: false });
  return { mails, cards };
};

/** An agent that fails whatever it is given. */
const newFailer = (origin: string, accountId: string): Promise<string> => {
  const input = { idList: 'f'.repeat(24), name: '{{inputs.id}}' };
  const step = { step: 'board.create_card', account: { id: accountId }, input };
  return newSingleStepper(origin, { name: 'Fail', step, given: { id: '{{event.data.action.id}}' } });
};

/** What can never succeed, among what can. */
export const poison: Proof = {
  name: 'poison',
  about: 'what can never be read, absurd mails and agents that always fail: each ends with a reason and delays nobody',
  run: async ({ scale, progress, database }) => {
    await using set = await stage({ database });
    const brief = scale <= tiny;
    const environment = {
      ...set.environment,
      PORT: String(await freePort()),
      INTERVALS: JSON.stringify({ retryMs: brief ? 5 : 200, tickMs: brief ? 50 : 200, lookMs: 3_600_000 }),
    };
    const { origin, stop } = await startProcess('start', environment);
    try {
      const { mailAccount, boardAccount } = await setOut(origin, set);
      const config = { boards: [set.board.launch().id] };
      const cardNoter = await newNoter(origin, mailAccount, 'card {{event.data.action.id}}');
      const onCards = { type: 'board.new_card', accountId: boardAccount, config: { ...config, includeCard: true } };
      await newTrigger(origin, { agentId: cardNoter, ...onCards });
      const failer = await newFailer(origin, boardAccount);
      await newTrigger(origin, { agentId: failer, type: 'board.new_comment', accountId: boardAccount, config });

      const { mails, cards } = await makePoison(set, Math.max(brief ? 1 : 2, Math.round(10 * scale)));
      const odd: string[] = [];
      const strange = brief ? absurd.slice(1, 5) : absurd;
      for (const [name, mail] of strange) {
        const note = await mailComes(set, name, mail);
        odd.push(note.slice('mail '.length));
      }
      progress(`${mails.length + cards.length} that cannot be read and ${odd.length} absurd mails are under way`);

      const comment = commenter(set);
      const good = new Map<string, number>();
      const delays = new Map<string, number>();
      const look = (): void => {
        const found = notes(set);
        for (const [name, at] of good)
          if (!delays.has(name) && found.has(name)) delays.set(name, performance.now() - at);
      };
      const wanted = brief ? 4 : Math.max(40, Math.round(600 * scale));
      for (let n = 0; n < wanted; n += 1) {
        const at = performance.now();
        good.set(n % 2 === 0 ? comment(`Comment ${n}`) : await mailComes(set, `Fine ${n}`), at);
        await sleep(150);
        look();
      }
      const hurry = performance.now() + 120_000;
      while (delays.size < good.size && performance.now() < hurry) {
        await sleep(200);
        look();
      }
      const worstRecoveryMs = Math.max(...delays.values());
      progress(
        `${delays.size} of ${good.size} others were started, the slowest after ${Math.round(worstRecoveryMs)} ms`,
      );

      const bad = [...mails, ...cards];
      const isDead = ({ retry, reason = '' }: Event) =>
        retry?.state === 'dead' && retry.attempts === tries && reason !== '';
      const dead = async (): Promise<Set<string>> =>
        new Set(
          ((await listed(origin, '/v1/events?outcome=failed')) as Event[]).filter(isDead).map((e) => e.upstreamId),
        );
      // Eight times the 30 s that a call may take.
      const until = performance.now() + (scale < 1 ? 60_000 : 420_000);
      let ended = await dead();
      while (bad.some((id) => !ended.has(id)) && performance.now() < until) {
        await sleep(brief ? 100 : 1_000);
        ended = await dead();
      }
      const undead = bad.filter((id) => !ended.has(id));
      progress(`${bad.length - undead.length} of ${bad.length} rest among the dead after ${tries} tries`);

      const outcomeOf = async (id: string): Promise<Event | undefined> =>
        (await listed(origin, `/v1/events?upstreamId=${encodeURIComponent(id)}`))[0] as Event | undefined;
      const outcomes = await Promise.all(odd.map(outcomeOf));
      const unsettled = outcomes.flatMap((event, at) => {
        const isSettled = event?.outcome === 'fired' || (event?.outcome === 'skipped' && event.reason !== undefined);
        return isSettled ? [] : [`${strange[at]?.[0]}: ${JSON.stringify(event)}`];
      });
      const runs = (await listed(origin, '/v1/runs?status=failed')) as {
        status: string;
        error: { code: string } | null;
      }[];
      const comments = [...good.keys()].filter((name) => name.startsWith('comment ')).length;
      const found = compare([...good.keys()], notes(set));
      const healthy = (await fetch(`${origin}/readyz`)).ok;
      return {
        guarantee: 'poison: unreadable, absurd and failing among the rest',
        tried: good.size + bad.length + odd.length,
        events: good.size + bad.length + odd.length,
        lost: found.missing.length + undead.length + unsettled.length,
        duplicated: found.duplicated.length,
        unknown: 0,
        worstRecoveryMs,
        objections: [
          ...undead.map((id) => `does not rest among the dead: ${id}`),
          ...unsettled,
          ...(runs.filter(({ error }) => error !== null).length >= comments
            ? []
            : [`${runs.length} of ${comments} runs that fail say so`]),
          ...(worstRecoveryMs > allowedMs ? [`another event waited ${Math.round(worstRecoveryMs)} ms`] : []),
          ...(healthy ? [] : ['the process is not ready any more']),
        ],
      };
    } finally {
      await stop();
    }
  },
};
