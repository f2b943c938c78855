import { setTimeout as sleep } from 'node:timers/promises';
import { commenter, compare, mailComes, notes } from './happenings.ts';
import { type Answer, call, randomBetween, type Stage } from './stage.ts';

type Kind = 'send' | 'row';

const codeOf = (answer: Answer): string =>
  answer.status < 300 ? 'done' : String((answer.body['error'] as { code?: string } | undefined)?.code);

/** What a caller does about an answer: it asks again with the same key until it is told how it ended. */
const passing = new Set(['gone', 'conflict', 'rate_limited', 'unavailable']);

/**
 * Mails and comments that start agents, mails that are sent, and rows that are written, at all processes at once, for as
 * long as it is not ended. In a hurry there are few callers, and they do not ask again after that; what then was not told
 * yet stays open.
 */
export const startTraffic = (options: {
  set: Stage;
  origins: readonly string[];
  mailAccount: string;
  hurry?: boolean;
}) => {
  const { set, origins, mailAccount, hurry = false } = options;
  const comment = commenter(set);
  const expected: string[] = [];
  const outcomes: Record<Kind, Map<string, string>> = { send: new Map(), row: new Map() };
  const answers = new Map<string, number>();
  let slowestMs = 0;
  let over = false;
  let number = 0;
  const pause = hurry ? 3 : 1;

  const ask = async (kind: Kind, name: string): Promise<string> => {
    const origin = origins[Math.floor(Math.random() * origins.length)] ?? '';
    const input = { to: ['ben@sandbox.test'], subject: name, body: 'Sent under faults.' };
    const [path, body] =
      kind === 'send'
        ? ['/v1/steps/mail.send_email/run', { accountId: mailAccount, input, permission: 'autopilot' }]
        : ['/v1/api-keys', { name, scopes: ['read'] }];
    const began = performance.now();
    const answer = await call(origin, 'POST', path, body, { 'idempotency-key': name }).catch(() => undefined);
    slowestMs = Math.max(slowestMs, performance.now() - began);
    const code = answer === undefined ? 'gone' : codeOf(answer);
    answers.set(`${kind} ${code}`, (answers.get(`${kind} ${code}`) ?? 0) + 1);
    return code;
  };

  const lane = async (kind: Kind): Promise<void> => {
    while (!over) {
      const name = `${kind} ${number++}`;
      let code = await ask(kind, name);
      while (passing.has(code) && !(over && hurry)) {
        await sleep(randomBetween(100, 400));
        code = await ask(kind, name);
      }
      outcomes[kind].set(name, passing.has(code) ? 'open' : code);
      // A mailbox allows 10,000 calls in ten minutes, and each mail takes several.
      await sleep((kind === 'row' ? 100 : 350) * pause);
    }
  };

  const happen = async (): Promise<void> => {
    while (!over) {
      const n = expected.length;
      expected.push(n % 2 === 0 ? comment(`Comment ${n}`) : await mailComes(set, `Mail ${n}`));
      await sleep(100 * pause);
    }
  };

  const kinds: Kind[] = hurry ? ['send', 'row'] : ['send', 'send', 'send', 'row', 'row', 'row'];
  const lanes = [happen(), ...kinds.map(lane)];

  return {
    /** What was answered, by kind of request and code. */
    answers: () => answers as ReadonlyMap<string, number>,
    slowestMs: () => slowestMs,
    /** How many things were asked for that have an end by now. */
    ended: () => outcomes.send.size + outcomes.row.size,
    expected: () => expected as readonly string[],
    missing: () => compare(expected, notes(set)).missing,
    end: async () => {
      over = true;
      await Promise.all(lanes);
    },
    /** Asks for some of the first again, with their keys; a sentence for each that is answered otherwise. */
    repeat: async (count: number): Promise<string[]> => {
      const odd: string[] = [];
      for (const [name, code] of [...outcomes.send].slice(0, count)) {
        const again = await ask('send', name);
        if (again !== code) odd.push(`${name} was told as ${code}, and when asked again as ${again}`);
      }
      return odd;
    },
    /** Counted at the services and in what the API lists. */
    count: async (origin: string) => {
      const sent = Map.groupBy(set.mail.world.outbox, ({ subject }) => subject);
      const rows = Map.groupBy(await keyNames(origin), (name) => name);
      const events = compare(expected, notes(set));
      const wrong = (kind: Kind, there: (name: string) => number) => {
        const told = [...outcomes[kind]];
        return {
          lost: told.filter(([name, code]) => code === 'done' && there(name) === 0).map(([name]) => name),
          duplicated: told.filter(([name]) => there(name) > 1).map(([name]) => name),
          untrue: told.filter(([name, code]) => !['done', 'outcome_unknown', 'open'].includes(code) && there(name) > 0)
            .length,
          unknown: told.filter(([, code]) => code === 'outcome_unknown').length,
        };
      };
      const sends = wrong('send', (name) => sent.get(name)?.length ?? 0);
      const keys = wrong('row', (name) => rows.get(name)?.length ?? 0);
      return {
        events: expected.length,
        sends: outcomes.send.size,
        rows: outcomes.row.size,
        lost: events.missing.length + sends.lost.length + keys.lost.length,
        gone: [...sends.lost, ...keys.lost],
        duplicated: events.duplicated.length + sends.duplicated.length + keys.duplicated.length,
        twice: [...events.duplicated, ...sends.duplicated, ...keys.duplicated],
        untrue: sends.untrue + keys.untrue,
        unknown: sends.unknown + keys.unknown,
        unknownSends: sends.unknown,
      };
    },
  };
};

const keyNames = async (origin: string): Promise<string[]> => {
  const names: string[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { body } = await call(origin, 'GET', `/v1/api-keys?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`);
    const page = body as { items: { name: string }[]; nextCursor?: string };
    names.push(...page.items.map(({ name }) => name));
    cursor = page.nextCursor;
  }
  return names;
};
