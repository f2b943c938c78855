import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess } from '../harness/processes.ts';
import type { Proof } from '../harness/row.ts';
import { type Answer, call, connectBoard, connectMail, randomBetween, stage } from '../harness/stage.ts';

type Stage = Awaited<ReturnType<typeof stage>>;

/** One kind of outside write: how it is asked for, where it can go wrong, and how often each name is found outside. */
type Kind = {
  name: string;
  service: 'mail' | 'board';
  step: string;
  path: string;
  input(name: string): Record<string, unknown>;
  found(set: Stage): Promise<string[]>;
};

const listed = async (set: Stage, path: string, field: string): Promise<string[]> => {
  const headers = { authorization: `Bearer ${set.mail.tokenFor('ada@sandbox.test')}` };
  const names: string[] = [];
  for (let next: string | undefined = `${set.mail.url}/v1.0/me/${path}?$top=100`; next !== undefined; ) {
    const page = (await (await fetch(next, { headers })).json()) as {
      value: Record<string, string>[];
      '@odata.nextLink'?: string;
    };
    names.push(...page.value.map((item) => item[field] ?? ''));
    next = page['@odata.nextLink'];
  }
  return names;
};

const kindsFor = (listId: string, cardId: string): Kind[] => [
  {
    name: 'mails',
    service: 'mail',
    step: 'mail.send_email',
    path: '^/v1.0/me/messages/[^/]+/send$',
    input: (name) => ({ to: ['ben@sandbox.test'], subject: name, body: 'Sent under faults.' }),
    found: async (set) => {
      const { items } = (await (await fetch(`${set.mail.url}/_control/outbox`)).json()) as {
        items: { subject: string }[];
      };
      return items.map(({ subject }) => subject);
    },
  },
  {
    name: 'events',
    service: 'mail',
    step: 'mail.create_event',
    path: '^/v1.0/me/(calendar/)?events$',
    input: (name) => ({ subject: name, start: '2027-03-01T10:00:00Z', end: '2027-03-01T11:00:00Z' }),
    found: (set) => listed(set, 'events', 'subject'),
  },
  {
    name: 'contacts',
    service: 'mail',
    step: 'mail.create_contact',
    path: '^/v1.0/me/contacts$',
    input: (name) => ({ givenName: name, surname: 'Proof' }),
    found: (set) => listed(set, 'contacts', 'givenName'),
  },
  {
    name: 'cards',
    service: 'board',
    step: 'board.create_card',
    path: '^/1/cards$',
    input: (name) => ({ idList: listId, name }),
    found: async (set) => set.board.cardsIn(listId).map(({ name }) => name),
  },
  {
    name: 'comments',
    service: 'board',
    step: 'board.add_comment_to_card',
    path: '^/1/cards/[^/]+/actions/comments$',
    input: (name) => ({ cardId, text: name }),
    found: async (set) =>
      set.board
        .actions()
        .filter(({ type }) => type === 'commentCard')
        .map(({ data }) => String((data as { text?: string }).text)),
  },
];

const ambiguous = [
  { kind: 'accept_then' as const, status: 504, rate: 0.1 },
  { kind: 'accept_then' as const, rate: 0.05 },
  { kind: 'reset' as const, rate: 0.05 },
];

const codeOf = ({ body }: Answer): string => String((body['error'] as { code?: string } | undefined)?.code);

/** Writes under lost answers, broken connections and kill -9; what happened is counted at the services. */
export const effects: Proof = {
  name: 'effects',
  about: 'mails, events, contacts, cards and comments happen at most once, and are told as what they are',
  run: async ({ scale, progress }) => {
    await using set = await stage();
    let running = await startProcess('start', set.environment);
    const objections: string[] = [];
    const total = { tried: 0, sends: 0, kills: 0, lost: 0, duplicated: 0, unknown: 0 };
    try {
      set.board.limits.set({ off: true });
      await fetch(`${set.mail.url}/_control/limits`, { method: 'POST', body: JSON.stringify({ off: true }) });
      const accounts = {
        mail: await connectMail(running.origin, set.mail, 'ada@sandbox.test'),
        board: await connectBoard(running.origin, set.board),
      };
      const list = set.board.newList();
      const card = await call(running.origin, 'POST', '/v1/steps/board.create_card/run', {
        accountId: accounts.board,
        input: { idList: list.id, name: 'Under discussion' },
      });
      const cardId = (card.body['output'] as { id: string }).id;

      for (const kind of kindsFor(list.id, cardId)) {
        const wanted = Math.max(10, Math.round((kind.name === 'mails' ? 1_000 : 250) * scale));
        const { control } = set[kind.service];
        for (const fault of ambiguous) control.faults.add({ match: { method: 'POST', path: kind.path }, ...fault });
        const names = Array.from({ length: wanted }, (_, n) => `${kind.name} ${n} of ${wanted}`);
        const waiting = [...names];
        const outcomes = new Map<string, string>();

        /** Asks until it is told how the one request with this key ended; a dead process is waited for. */
        const carry = async (name: string): Promise<void> => {
          const body = { accountId: accounts[kind.service], input: kind.input(name), permission: 'autopilot' };
          for (;;) {
            const answer = await call(running.origin, 'POST', `/v1/steps/${kind.step}/run`, body, {
              'idempotency-key': name,
            }).catch(() => undefined);
            const code = answer === undefined ? 'gone' : answer.status === 200 ? 'done' : codeOf(answer);
            if (!['gone', 'conflict', 'rate_limited', 'unavailable'].includes(code))
              return void outcomes.set(name, code);
            await sleep(randomBetween(200, 600));
          }
        };
        const lane = async () => {
          for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) await carry(name);
        };
        const lanes = Array.from({ length: 8 }, lane);
        const kills = Math.max(1, Math.round(4 * scale));
        for (let kill = 1; kill <= kills; kill++) {
          const until = (wanted * (kills - kill)) / (kills + 1);
          while (waiting.length > until) await sleep(20);
          await running.kill();
          running = await startProcess('start', set.environment);
        }
        await Promise.all(lanes);
        control.faults.clear();

        const counts = new Map<string, number>();
        for (const found of await kind.found(set)) counts.set(found, (counts.get(found) ?? 0) + 1);
        const told = (code: string) => names.filter((name) => outcomes.get(name) === code);
        const lost = told('done').filter((name) => !counts.has(name)).length;
        const duplicated = names.filter((name) => (counts.get(name) ?? 0) > 1).length;
        const unknown = told('outcome_unknown').length;
        const wrong = names.filter(
          (name) => !['done', 'outcome_unknown'].includes(outcomes.get(name) ?? '') && counts.has(name),
        );
        if (wrong.length > 0) objections.push(`${wrong.length} ${kind.name} were told as not done but happened`);
        if (unknown > wanted * 0.01 && unknown > 1)
          objections.push(`${unknown} of ${wanted} ${kind.name} ended as unknown`);
        progress(`${wanted} ${kind.name}, ${kills} kills: ${lost} lost, ${duplicated} twice, ${unknown} unknown`);
        total.tried += wanted;
        total.kills += kills;
        if (kind.name === 'mails') total.sends += wanted;
        total.lost += lost;
        total.duplicated += duplicated;
        total.unknown += unknown;
      }
      return { guarantee: 'outside writes under ambiguous failures and kill -9', ...total, objections };
    } finally {
      await running.killTree(set.dataDir).catch(() => {});
    }
  },
};
