import { startEmbeddedPostgres } from '#store';
import { startProcess } from '../harness/processes.ts';
import type { Proof } from '../harness/row.ts';
import { call, stage } from '../harness/stage.ts';

type Stage = Awaited<ReturnType<typeof stage>>;
type Member = { key: string; token: string; listId: string };

/** Members who all gave a token to the same app, each with a list of their own. */
const membersOfOneApp = async ({ board }: Stage, count: number): Promise<Member[]> => {
  const control = (path: string, body: unknown) =>
    fetch(`${board.url}/_control/${path}`, { method: 'POST', body: JSON.stringify(body) }).then((answer) =>
      answer.json(),
    );
  const { key } = board.credentials('ada');
  await control('seed', { accounts: count });
  const { members } = (await (await fetch(`${board.url}/_control/credentials`)).json()) as {
    members: { username: string }[];
  };
  const found: Member[] = [];
  for (const { username } of members.slice(-count)) {
    await control('consent', { mode: 'auto', as: username });
    const parameters = new URLSearchParams({
      key,
      name: 'Switchboard',
      scope: 'read,write',
      expiration: 'never',
      response_type: 'token',
      callback_method: 'fragment',
      return_url: 'http://127.0.0.1:9/',
    });
    const allowed = await fetch(`${board.url}/1/authorize?${parameters}`, { redirect: 'manual' });
    const token = /#token=(.+)$/.exec(allowed.headers.get('location') ?? '')?.[1] ?? '';
    const headers = { authorization: `OAuth oauth_consumer_key="${key}", oauth_token="${token}"` };
    const made = (await (await fetch(`${board.url}/1/boards?name=Load`, { method: 'POST', headers })).json()) as {
      id: string;
    };
    const lists = (await (await fetch(`${board.url}/1/boards/${made.id}/lists`, { headers })).json()) as {
      id: string;
    }[];
    found.push({ key, token, listId: lists[0]?.id ?? '' });
  }
  return found;
};

/** Full load on one token, and on four tokens of one key, from two processes. Answers are counted at the service. */
export const pace: Proof = {
  name: 'pace',
  about: 'two processes together use at least 95 % of what the board service allows and never meet its limit',
  run: async ({ scale, progress }) => {
    await using set = await stage();
    const database = await startEmbeddedPostgres({ dataDir: set.dataDir, log: () => {} });
    const environment = { ...set.environment, DATABASE_URL: database.connectionString };
    const processes = [await startProcess('start', environment), await startProcess('api', environment)];
    const [first] = processes;
    const objections: string[] = [];
    const total = { tried: 0, lost: 0 };
    try {
      const windows = Math.max(1, Math.round(6 * scale));
      const members = await membersOfOneApp(set, 4);
      const ids: string[] = [];
      for (const { key, token } of members) {
        const auth = { type: 'key_token', key, token };
        const { body } = await call(first?.origin ?? '', 'POST', '/v1/accounts', { integration: 'board', auth });
        ids.push(String(body['id']));
      }
      for (const { tokens, allowed } of [
        { tokens: 1, allowed: 100 },
        { tokens: 4, allowed: 300 },
      ]) {
        // The window that connecting opened is over by then.
        await new Promise((resolve) => setTimeout(resolve, 10_500));
        const seen = set.board.control.log.list().at(-1)?.seq ?? 0;
        const until = performance.now() + windows * 10_000;
        const lane = async (n: number) => {
          while (performance.now() < until) {
            const accountId = ids[n % tokens];
            const origin = processes[n % 2]?.origin ?? '';
            const input = { list: members[n % tokens]?.listId };
            await call(origin, 'POST', '/v1/steps/board.get_list_cards/run', { accountId, input });
          }
        };
        await Promise.all(Array.from({ length: 12 * tokens }, (_, n) => lane(n)));
        const requests = set.board.control.log.list(seen);
        const started = Date.parse(requests[0]?.at ?? '');
        const inTime = requests.filter(({ at }) => Date.parse(at) < started + windows * 10_000);
        const refused = requests.filter(({ status }) => status === 429).length;
        const share = inTime.length / (allowed * windows);
        progress(
          `${tokens} token(s): ${inTime.length} calls in ${windows * 10} s, ${Math.round(share * 100)} % of what is allowed, ${refused} refused`,
        );
        if (share < 0.95) objections.push(`only ${Math.round(share * 100)} % used with ${tokens} token(s)`);
        total.tried += requests.length;
        total.lost += refused;
      }
      return {
        guarantee: 'full load on a paced service from two processes',
        ...total,
        duplicated: 0,
        unknown: 0,
        objections,
      };
    } finally {
      for (const each of processes) await each.stop();
      await database.stop();
    }
  },
};
