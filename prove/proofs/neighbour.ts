import { setTimeout as sleep } from 'node:timers/promises';
import { findRunningPostgres } from '#store';
import { newNoter, newTrigger } from '../harness/agents.ts';
import { commenter, compare, mailComes, notes, setOut } from '../harness/happenings.ts';
import { type Lie, startLiar } from '../harness/liar.ts';
import { freePort, runCommand, startProcess } from '../harness/processes.ts';
import { type Proof, tiny } from '../harness/row.ts';
import { call, connectMail, type Stage, stage } from '../harness/stage.ts';

const hangMs = 60_000;
const allowedMs = 10_000;

const hang: Lie = (_, answer, truth) => {
  setTimeout(() => {
    truth().then(
      ({ status, body }) => answer.writeHead(status, { 'content-type': 'application/json' }).end(body),
      () => answer.destroy(),
    );
  }, hangMs).unref();
};

const anythingBy = (token: string): RegExp => new RegExp(token.replaceAll(/[^\w ]/g, '.'));

/** Another workspace; answers the header that its key makes. */
const newWorkspace = async (origin: string, environment: Record<string, string>): Promise<Record<string, string>> => {
  const link = (await runCommand(['sign-in-link'], environment)).split('\n')[0] ?? '';
  const signedIn = await fetch(`${origin}${new URL(link).pathname}`, { method: 'POST', redirect: 'manual' });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const ask = async (method: string, path: string, body: unknown): Promise<Record<string, unknown>> => {
    const headers = { cookie, 'x-switchboard-csrf': '1', 'content-type': 'application/json' };
    const answer = await fetch(`${origin}${path}`, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`no second workspace: ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  };
  const made = await ask('POST', '/v1/workspaces', { name: 'Noisy' });
  await ask('PATCH', '/v1/session', { workspaceId: made['id'] });
  const scopes = ['admin', 'approvals:decide', 'sends:autopilot'];
  const key = await ask('POST', '/v1/api-keys', { name: 'all', scopes });
  return { authorization: `Bearer ${String(key['key'])}` };
};

/** What the quiet workspace does all the time: calls one after the other in four lanes, and an event now and then. */
const quietWork = async (set: Stage, origin: string, accountId: string, ms: number, expected: Map<string, number>) => {
  const comment = commenter(set);
  const until = performance.now() + ms;
  let calls = 0;
  let failed = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() < until) {
      const { status } = await call(origin, 'POST', '/v1/steps/mail.list_folders/run', { accountId, input: {} });
      calls += 1;
      if (status !== 200) failed += 1;
      // A mailbox allows 10,000 calls in ten minutes, and each of these takes several: they must last to the end.
      await sleep(150);
    }
  };
  const happen = async (): Promise<void> => {
    for (let n = 0; performance.now() < until; n += 1) {
      const at = performance.now();
      expected.set(n % 2 === 0 ? comment(`Quiet ${n}`) : await mailComes(set, `Quiet ${n}`), at);
      await sleep(250);
    }
  };
  await Promise.all([lane(), lane(), lane(), happen()]);
  return { perSecond: calls / (ms / 1_000), failed };
};

/** One workspace's services hang and it floods the house, while another works. */
export const neighbour: Proof = {
  name: 'neighbour',
  about:
    'a workspace whose services hang, or that floods, slows another by less than 10 % and delays none of its events',
  run: async ({ scale, progress, database }) => {
    await using set = await stage({ database });
    const brief = scale <= tiny;
    const liars = { mail: await startLiar(set.mail.port), board: await startLiar(set.board.port) };
    const environment = {
      ...set.environment,
      PORT: String(await freePort()),
      MAIL_API_URL: `${liars.mail.url}/v1.0`,
      BOARD_API_URL: liars.board.url,
    };
    await fetch(`${set.mail.url}/_control/limits`, { method: 'POST', body: '{"off":true}' });
    const { origin, stop } = await startProcess('start', environment);
    let noisy = true;
    const noise: Promise<unknown>[] = [];
    try {
      const { mailAccount } = await setOut(origin, set);
      const address = database ?? (await findRunningPostgres(set.dataDir)) ?? '';
      const asNoisy = await newWorkspace(origin, { ...environment, DATABASE_URL: address });
      const seeded = await fetch(`${set.mail.url}/_control/seed`, { method: 'POST', body: '{"accounts":1}' });
      // Nobody else's mailbox: its places are held by what hangs.
      const [person = ''] = ((await seeded.json()) as { accounts: string[] }).accounts;
      const noisyMail = await connectMail(origin, set.mail, person, asNoisy);
      const noisyToken = liars.mail.signedBy();
      const { key, token, appSecret } = set.board.credentials('ben');
      const auth = { type: 'key_token', key, token, secret: appSecret };
      const connected = await call(origin, 'POST', '/v1/accounts', { integration: 'board', auth }, asNoisy);
      const noisyBoard = String(connected.body['id']);
      const noisyPlace = set.board.newBoard({ as: 'ben' });
      const noisyList = set.board.newList({ board: noisyPlace, as: 'ben' });
      const noisyCard = set.board.newCard({ list: noisyList, as: 'ben' });
      const noisyAgent = await newNoter(origin, noisyMail, 'noise {{event.data.action.id}}', asNoisy);
      const onNoise = { type: 'board.new_comment', accountId: noisyBoard, config: { boards: [noisyPlace.id] } };
      await newTrigger(origin, { agentId: noisyAgent, ...onNoise }, asNoisy);
      const noisyCalls = [
        { path: '/v1/steps/mail.list_folders/run', body: { accountId: noisyMail, input: {} } },
        { path: '/v1/steps/board.get_list_cards/run', body: { accountId: noisyBoard, input: { list: noisyList.id } } },
      ];
      const shout = async (n: number, pauseMs: number): Promise<void> => {
        while (noisy) {
          const one = noisyCalls[n % noisyCalls.length];
          await call(origin, 'POST', one?.path ?? '', one?.body, asNoisy).catch(() => undefined);
          await sleep(pauseMs);
        }
      };

      const spanMs = brief ? 1_500 : Math.max(8_000, 40_000 * scale);
      const expected = new Map<string, number>();
      const delays = new Map<string, number>();
      const watching = setInterval(() => {
        const found = notes(set);
        for (const [name, at] of expected)
          if (!delays.has(name) && found.has(name)) delays.set(name, performance.now() - at);
      }, 100);
      const work = () => quietWork(set, origin, mailAccount, spanMs, expected);
      if (!brief) await quietWork(set, origin, mailAccount, 3_000, expected);
      const before = await work();
      progress(`alone: ${before.perSecond.toFixed(1)} calls per second`);

      liars.mail.tell(hang, anythingBy(noisyToken));
      liars.board.tell(hang, anythingBy(token));
      for (let n = 0; n < 60; n += 1) noise.push(shout(n, 500));
      // Everything that can hang hangs by then.
      await sleep(brief ? 500 : 3_000);
      const hung = await work();
      const ratio = hung.perSecond / before.perSecond;
      progress(`beside 60 calls that hang: ${hung.perSecond.toFixed(1)} calls per second`);

      liars.mail.tell(undefined);
      liars.board.tell(undefined);
      const eventsBefore = expected.size;
      const flood = (async () => {
        for (let n = 0; noisy; n += 1) {
          set.board.comment(noisyCard, `Flood ${n}`, 'ben');
          await sleep(25);
        }
      })();
      const flooded = await work();
      noisy = false;
      await flood;
      progress(
        `beside a flood: ${flooded.perSecond.toFixed(1)} calls per second, ${expected.size - eventsBefore} events`,
      );

      const until = performance.now() + 60_000;
      const missing = () => compare([...expected.keys()], notes(set)).missing;
      while (missing().length > 0 && performance.now() < until) await sleep(250);
      await sleep(1_000);
      clearInterval(watching);
      const found = compare([...expected.keys()], notes(set));
      const sorted = [...delays.values()].toSorted((a, b) => a - b);
      const worst = sorted.at(-1) ?? 0;
      progress(
        `events: half after ${Math.round(sorted[sorted.length >> 1] ?? 0)} ms, the slowest after ${Math.round(worst)} ms`,
      );
      const failed = before.failed + hung.failed + flooded.failed;
      return {
        guarantee: `a hanging, flooding neighbour (${Math.round(ratio * 100)} % of the pace left)`,
        tried: expected.size,
        events: expected.size,
        lost: found.missing.length,
        duplicated: found.duplicated.length,
        unknown: 0,
        worstRecoveryMs: worst,
        objections: [
          ...(failed > 0 ? [`${failed} calls of the quiet workspace failed`] : []),
          ...(!brief && ratio < (scale < 1 ? 0.5 : 0.9) ? [`it was slowed to ${Math.round(ratio * 100)} %`] : []),
          ...(worst > allowedMs * (brief ? 2.5 : 1) ? [`an event waited ${Math.round(worst)} ms`] : []),
        ],
      };
    } finally {
      noisy = false;
      for (const liar of Object.values(liars)) liar.close();
      await stop();
      await Promise.all(noise);
    }
  },
};
