import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Workbench, workbench } from '#test';

let bench: Workbench;
let accountId: string;
const heard: (string | undefined)[] = [];

beforeAll(async () => {
  bench = await workbench();
  bench.board.limits.off = true;
  accountId = await bench.connectBoard();
  const announce = bench.board.world.onAction;
  bench.board.world.onAction = (action, identifier) => {
    heard.push(identifier);
    announce(action, identifier);
  };
});
afterAll(() => bench[Symbol.asyncDispose]());
afterEach(() => bench.board.control.faults.clear());

const call = async (input: Record<string, unknown>) => {
  const given = { accountId, input, permission: 'autopilot' };
  const { status, body } = await bench.owned('POST', '/v1/steps/board.api_call/run', given);
  return { ...body, status };
};
const api = async (method: string, endpoint: string, body?: unknown, query?: unknown) => {
  const { status, output } = await call({ method, endpoint, ...(body ? { body } : {}), ...(query ? { query } : {}) });
  expect([status, output?.status]).toEqual([200, 200]);
  return output.data;
};

test('every path the mission names works, with parameters in the body or in the query', async () => {
  const board = await api('POST', '/1/boards', { name: 'By hand', defaultLists: false });
  const list = await api('POST', '/1/lists', undefined, { name: 'L', idBoard: board.id });
  const label = await api('POST', '/1/labels', { name: 'Red', color: 'red', idBoard: board.id });
  const card = await api('POST', '/1/cards', { idList: list.id, name: 'C', desc: 'D', pos: 'top', due: '2027-01-05' });
  expect(await api('GET', `/1/cards/${card.id}`)).toMatchObject({ name: 'C', due: '2027-01-05T00:00:00.000Z' });
  expect(await api('PUT', `/1/cards/${card.id}`, { name: 'C2' })).toMatchObject({ name: 'C2' });
  expect(await api('POST', `/1/cards/${card.id}/actions/comments`, { text: 'Hi' })).toMatchObject({
    type: 'commentCard',
  });
  expect(await api('POST', `/1/cards/${card.id}/idLabels`, undefined, { value: label.id })).toEqual([label.id]);
  expect(await api('DELETE', `/1/cards/${card.id}/idLabels/${label.id}`)).toEqual({ _value: null });
  const checklist = await api('POST', '/1/checklists', { idCard: card.id, name: 'K' });
  const item = await api('POST', `/1/checklists/${checklist.id}/checkItems`, { name: 'I' });
  const ticked = await api('PUT', `/1/cards/${card.id}/checkItem/${item.id}`, { state: 'complete' });
  expect(ticked).toMatchObject({ id: item.id, state: 'complete' });
  expect(await api('GET', `/1/checklists/${checklist.id}`)).toMatchObject({ checkItems: [{ name: 'I' }] });
  expect(await api('GET', `/1/boards/${bench.board.launch().shortLink}`)).toMatchObject({ name: 'Launch' });
  expect(await api('GET', `/1/boards/${board.id}/lists`)).toMatchObject([{ id: list.id }]);
  expect(await api('GET', `/1/boards/${board.id}/cards?fields=name`)).toEqual([{ id: card.id, name: 'C2' }]);
  expect(await api('GET', `/1/lists/${list.id}`)).toMatchObject({ name: 'L' });
  expect(await api('PUT', `/1/lists/${list.id}`, { name: 'L2' })).toMatchObject({ name: 'L2' });
  expect(await api('GET', `/1/lists/${list.id}/cards`)).toHaveLength(1);
  expect(await api('GET', `/1/labels/${label.id}`)).toMatchObject({ name: 'Red' });
  expect(await api('DELETE', `/1/cards/${card.id}`)).toEqual({ limits: {} });
  expect(bench.board.card(card.id)).toBeUndefined();
});

test('every write carries the name by which its notifications are told apart', () => {
  expect(heard.length).toBeGreaterThan(10);
  expect(new Set(heard)).toEqual(new Set(['switchboard']));
});

describe('pages', () => {
  const comments = (count: number) => {
    const card = bench.board.newCard();
    for (let at = 1; at <= count; at += 1) bench.board.comment(card, `${at}`);
    return `/1/cards/${card.id}/actions?filter=commentCard`;
  };
  const texts = (data: { data: { text: string } }[]) => data.map(({ data: { text } }) => text);

  test('one page tells where the next begins', async () => {
    const endpoint = comments(5);
    const first = (await call({ method: 'GET', endpoint, query: { limit: 3 } })).output;
    expect([texts(first.data), first.truncated]).toEqual([['5', '4', '3'], true]);
    const second = (await call({ method: 'GET', endpoint, query: { limit: 3 }, cursor: first.nextCursor })).output;
    expect([texts(second.data), second.nextCursor, second.truncated]).toEqual([['2', '1'], undefined, false]);
    const elsewhere = { method: 'GET', endpoint: comments(1), cursor: first.nextCursor };
    const { status, body } = await bench.owned('POST', '/v1/steps/board.api_call/run', { input: elsewhere });
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('of another list')]);
  });

  test('all of them come at once, over as many requests as it takes', async () => {
    const endpoint = comments(1_003);
    const { output } = await call({ method: 'GET', endpoint, paginate: 'all', maxBytes: 10_000_000 });
    expect([output.data.length, output.nextCursor, output.truncated]).toEqual([1_003, undefined, false]);
    expect(new Set(texts(output.data)).size).toBe(1_003);
  });

  test('as many as are wanted come, and where to go on', async () => {
    const endpoint = comments(8);
    const { output } = await call({ method: 'GET', endpoint, paginate: 6 });
    expect(texts(output.data)).toEqual(['8', '7', '6', '5', '4', '3']);
    const rest = (await call({ method: 'GET', endpoint, paginate: 'all', cursor: output.nextCursor })).output;
    expect(texts(rest.data)).toEqual(['2', '1']);
  });

  test('what comes whole is asked for once', async () => {
    const endpoint = `/1/boards/${bench.board.launch().id}/lists`;
    bench.board.control.log.clear();
    const { output } = await call({ method: 'GET', endpoint, paginate: 'all' });
    expect([output.data.length, bench.board.control.log.list().length]).toEqual([3, 1]);
  });

  test('a refusal in between is passed on as it is', async () => {
    const { output } = await call({ method: 'GET', endpoint: `/1/cards/${'a'.repeat(24)}/actions`, paginate: 'all' });
    expect(output).toMatchObject({ status: 404, data: 'The requested resource was not found.' });
  });
});

describe('what is too large', () => {
  test('is cut to whole items, with the way to the rest', async () => {
    const card = bench.board.newCard();
    for (let at = 1; at <= 9; at += 1) bench.board.comment(card, `${at} ${'x'.repeat(400)}`);
    const endpoint = `/1/cards/${card.id}/actions?filter=commentCard`;
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { output } = await call({ method: 'GET', endpoint, maxBytes: 5_000, ...(cursor && { cursor }) });
      expect(JSON.stringify(output.data).length).toBeLessThanOrEqual(5_000);
      seen.push(...output.data.map(({ id }: { id: string }) => id));
      cursor = output.nextCursor;
    } while (cursor !== undefined);
    expect(new Set(seen).size).toBe(9);
  });

  test('is told of where not one item fits, and the list goes on after it', async () => {
    const card = bench.board.newCard();
    for (const text of ['1', 'x'.repeat(3_000), '3']) bench.board.comment(card, text);
    const endpoint = `/1/cards/${card.id}/actions?filter=commentCard`;
    const read = async (more: object) => (await call({ method: 'GET', endpoint, ...more })).output;
    const texts = ({ data }: { data: { data: { text: string } }[] }) => data.map((action) => action.data.text);

    const first = await read({ maxBytes: 2_500 });
    const large = await read({ maxBytes: 2_500, cursor: first.nextCursor });
    const last = await read({ maxBytes: 2_500, cursor: large.nextCursor });

    expect([texts(first), texts(large), texts(last)]).toEqual([['3'], [], ['1']]);
    expect([first.note, last.note, last.nextCursor]).toEqual([undefined, undefined, undefined]);
    expect(large.note).toMatch(/ask for it with maxBytes \d+ or fewer fields\. nextCursor goes on after it\.$/);
    const maxBytes = Number(/\d+/.exec(large.note)?.[0]);
    expect(texts(await read({ maxBytes, cursor: first.nextCursor }))).toEqual(['x'.repeat(3_000)]);

    const alone = await read({ maxBytes: 2_500, query: { limit: 1 }, cursor: first.nextCursor });
    expect(texts(await read({ cursor: alone.nextCursor }))).toEqual(['1']);
  });

  test('is told of where it comes whole', async () => {
    const { id } = bench.board.newCard({ desc: 'y'.repeat(3_000) });
    const { output } = await call({ method: 'GET', endpoint: `/1/cards/${id}`, maxBytes: 1_000 });
    const maxBytes = Number(/^No cursor leads .* maxBytes (\d+) or fewer fields\.$/.exec(output.note)?.[1]);
    const whole = (await call({ method: 'GET', endpoint: `/1/cards/${id}`, maxBytes })).output;
    expect([whole.data.desc.length, whole.truncated, whole.note]).toEqual([3_000, false, undefined]);
  });

  test('and no list is cut as text, even if it was a write that happened', async () => {
    const card = bench.board.newCard();
    const input = {
      method: 'PUT',
      endpoint: `/1/cards/${card.id}`,
      body: { desc: 'z'.repeat(3_000) },
      maxBytes: 1_000,
    };
    const { output } = await call(input);
    expect([output.status, output.truncated, output.data.length]).toEqual([200, true, 1_000]);
    expect(card.desc).toHaveLength(3_000);
  });
});

describe('repeating', () => {
  const busy = (method: string, status: number, times: number) =>
    bench.board.control.faults.add({
      match: { method, path: '/1/boards' },
      kind: 'status',
      status,
      times,
      retryAfter: 1,
    });
  const asked = () => bench.board.control.log.list(0, '/1/boards').length;
  const endpoint = () => `/1/boards/${bench.board.launch().id}`;
  // The pause that the service asked for in the last test is over, and nothing is counted yet.
  beforeEach(async () => {
    expect((await call({ method: 'GET', endpoint: endpoint(), retry: true })).output.status).toBe(200);
    bench.board.control.log.clear();
  });

  test.each([429, 503])('is off unless asked for: a %i is passed on with the time to wait', async (status) => {
    busy('GET', status, 1);
    const { output } = await call({ method: 'GET', endpoint: endpoint() });
    expect([output.status, output.rate.retryAfterMs, asked()]).toEqual([status, 1_000, 1]);
    if (status === 429) expect(output.data).toMatchObject({ error: 'API_TOKEN_LIMIT_EXCEEDED' });
    // We keep away as long as the service asked, and say so.
    const { error } = await call({ method: 'GET', endpoint: endpoint() });
    expect(error).toMatchObject({ code: 'rate_limited', details: { own: true } });
    expect(asked()).toBe(1);
  });

  test('a GET is repeated at most twice', async () => {
    busy('GET', 429, 1);
    expect((await call({ method: 'GET', endpoint: endpoint(), retry: true })).output.status).toBe(200);
    expect(asked()).toBe(2);
    busy('GET', 503, 9);
    expect((await call({ method: 'GET', endpoint: endpoint(), retry: true })).output.status).toBe(503);
    expect(asked()).toBe(5);
  });

  test('a write is never repeated', async () => {
    busy('PUT', 503, 9);
    const input = { method: 'PUT', endpoint: endpoint(), body: { name: 'Twice' }, retry: true };
    expect((await call(input)).output.status).toBe(503);
    expect([asked(), bench.board.launch().name]).toEqual([1, 'Launch']);
  });
});

test('a service that never wants to be asked again is asked again one day', async () => {
  await using other = await workbench();
  const busy = { match: { path: '/1/boards' }, kind: 'status' as const, status: 429, retryAfter: 1e300 };
  other.board.control.faults.add(busy);
  const ask = () => other.run('board.api_call', { method: 'GET', endpoint: '/1/boards/x' });
  expect(await ask()).toMatchObject({ status: 429 });
  await expect(ask()).rejects.toThrow(/rate_limited/);
});

test('a key that the service has had enough of is left alone by all its accounts', async () => {
  await using other = await workbench();
  const [first, second] = [...other.board.world.tokens.values()].filter(({ kind }) => kind === 'key');
  if (first === undefined || second === undefined) throw new Error('two people are wanted');
  second.appKey = first.appKey;
  const connected = [first, second].map(async ({ value: token, appKey: key }) => {
    const auth = { type: 'key_token', key, token };
    const { body } = await other.owned('POST', '/v1/accounts', { integration: 'board', auth });
    return body.id as string;
  });
  const [ada, ben] = await Promise.all(connected);
  const ask = async (accountId: string | undefined) => {
    const input = { method: 'GET', endpoint: `/1/boards/${other.board.launch().id}` };
    const { body } = await other.owned('POST', '/v1/steps/board.api_call/run', { accountId, input });
    return body.error?.code ?? body.output.status;
  };
  expect([await ask(ada), await ask(ben)]).toEqual([200, 200]);
  other.board.limits.set({ perKey: 0, off: false });
  other.board.control.log.clear();
  expect([await ask(ada), await ask(ben)]).toEqual([429, 'rate_limited']);
  expect(other.board.control.log.list(0, '/1/boards')).toHaveLength(1);
});

test('what is left of the budget is told', async () => {
  const input = { method: 'GET', endpoint: `/1/boards/${bench.board.launch().id}` };
  // Without limits the service tells of no budget. The pause of an earlier test is waited for.
  expect((await call({ ...input, retry: true })).output.rate).toEqual({});
  bench.board.limits.set({ off: false });
  const { output } = await call(input);
  expect(output.rate).toMatchObject({ remaining: expect.any(Number), limit: 100, windowMs: 10_000 });
  expect(output.rate.keyRemaining).toBeGreaterThan(0);
  // What an agent is told once costs it less to read.
  expect(Object.keys(output.headers).filter((name) => name.includes('rate'))).toEqual([]);
  expect(output.headers).toHaveProperty('content-type');
});

describe('an address inside a batch', () => {
  const batch = (urls: string) => call({ method: 'GET', endpoint: '/1/batch', query: { urls } });

  test.each([
    ['names another credential', '/members/me?key=mine&token=mine'],
    ['names one behind others', '/boards/x,/members/me%3Ffields=id%26Token=mine'],
    ['climbs', '/members/me,/../2/members/me'],
    ['climbs by escapes', '/boards/%252e%252e/%252e%252e/x'],
  ])('that %s is refused before any call', async (_, urls) => {
    bench.board.control.log.clear();
    const answer = await batch(urls);
    expect([answer.status, answer.error?.code]).toEqual([400, 'invalid_input']);
    const typed = await call({ method: 'GET', endpoint: `/1/batch?urls=${encodeURIComponent(urls)}` });
    expect([typed.status, bench.board.control.log.list()]).toEqual([400, []]);
  });

  test('that says what it wants passes', async () => {
    const { id } = bench.board.launch();
    const { output } = await batch(`/boards/${id}?fields=name%2Cdesc,/members/me?fields=username`);
    expect(output.data).toMatchObject([{ 200: { name: 'Launch' } }, { 200: { username: 'ada' } }]);
  });
});

describe('a token', () => {
  const value = `ATTA${'5e'.repeat(30)}`;
  const old = '0123456789abcdef'.repeat(4);

  test.each([
    ['as the place of an endpoint', { endpoint: `/1/tokens/${value}/webhooks` }],
    ['of the old kind', { endpoint: `/1/tokens/${old}` }],
    ['that is none', { method: 'DELETE', endpoint: '/1/tokens/x' }],
    ['in an odd spelling of the place', { endpoint: `/1//tokens/${old}` }],
    ['hidden in a batch', { endpoint: `/1/batch?urls=/tokens/${old}` }],
    ['in the query of the endpoint', { endpoint: `/1/boards/x?token=${value}` }],
    ['in the query', { query: { token: value } }],
    ['as another value of the query', { query: { urls: `/tokens/${value}` } }],
    ['in the body', { method: 'POST', endpoint: '/1/cards', body: { key: 'k', token: value } }],
  ])('%s is refused before any call, told what to do, and kept nowhere', async (_, input) => {
    bench.board.control.log.clear();
    const answer = await call({ method: 'GET', endpoint: '/1/members/me', ...input });
    expect([answer.status, answer.error.code]).toEqual([400, 'invalid_input']);
    expect(answer.error.message).toMatch(/Leave .* out/);
    expect(JSON.stringify(answer)).not.toMatch(new RegExp(`${value}|${old}`));
    expect(bench.board.control.log.list()).toEqual([]);
    const { body } = await bench.owned('GET', '/v1/runs?limit=5');
    expect(JSON.stringify(body)).not.toMatch(new RegExp(`${value}|${old}`));
  });
});
