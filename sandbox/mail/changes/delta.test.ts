import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Ask, type Bench, idOf, listOf, mailBench } from '../test-mail.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await mailBench();
});
beforeEach(() => bench.order('/reset', {}));
afterAll(() => bench.close());

const inbox = '/me/mailFolders/inbox/messages/delta';
const immutable = { headers: { Prefer: 'IdType="ImmutableId"' } };

/** A whole round: what it told, and where the next one starts. */
const round = async (start: string, ask: Ask = {}) => {
  const values: Record<string, unknown>[] = [];
  for (let next = start; ; ) {
    const reply = await bench.ask('GET', next, ask);
    values.push(...listOf(reply));
    const { '@odata.nextLink': more, '@odata.deltaLink': done } = reply.json as Record<string, string | undefined>;
    expect((more === undefined) !== (done === undefined)).toBe(true);
    if (done !== undefined) return { values, deltaLink: done };
    next = String(more);
  }
};
const deliver = async (subject: string) =>
  String(
    (await bench.order('/deliver', { to: 'ada@sandbox.test', from: 'x@example.com', subject, body: 'x' }))['restId'],
  );

test('the first round tells the whole folder, page by page, the next only what changed', async () => {
  const total = Number((await bench.ask('GET', '/me/mailFolders/inbox')).json['totalItemCount']);
  const first = await round(inbox, { headers: { Prefer: 'odata.maxpagesize=3' } });
  expect(new Set(first.values.map(idOf)).size).toBe(total);
  expect((await round(first.deltaLink)).values).toEqual([]);
  const id = await deliver('New');
  const second = await round(first.deltaLink);
  expect(second.values.map(idOf)).toEqual([id]);
  await bench.ask('PATCH', `/me/messages/${id}`, { body: { isRead: true } });
  const third = await round(second.deltaLink);
  expect(third.values).toMatchObject([{ id, isRead: true }]);
  expect((await round(third.deltaLink)).values).toEqual([]);
});

test('what was deleted or moved out of the folder is @removed', async () => {
  const [a, b] = [await deliver('A'), await deliver('B')];
  const { deltaLink } = await round(inbox);
  await bench.ask('POST', `/me/messages/${a}/move`, { body: { destinationId: 'archive' } });
  await bench.ask('POST', `/me/messages/${b}/permanentDelete`);
  const { values } = await round(deltaLink);
  expect(values).toEqual([
    { '@odata.type': '#microsoft.graph.message', id: a, '@removed': { reason: 'deleted' } },
    { '@odata.type': '#microsoft.graph.message', id: b, '@removed': { reason: 'deleted' } },
  ]);
});

test('options are frozen into the token', async () => {
  const { deltaLink } = await round(`${inbox}?$select=subject`);
  expect(deltaLink).not.toContain('select');
  await deliver('Small');
  const { values } = await round(deltaLink);
  expect(Object.keys(values[0] ?? {}).toSorted()).toEqual(['@odata.etag', '@odata.type', 'id', 'subject']);
});

test('a filter on receivedDateTime starts from now; removals and read-state flips of others still come', async () => {
  const old = await deliver('Old');
  const { deltaLink, values } = await round(`${inbox}?$filter=receivedDateTime ge 2999-01-01T00:00:00Z`);
  expect(values).toEqual([]);
  await bench.ask('PATCH', `/me/messages/${old}`, { body: { isRead: true } });
  expect((await round(deltaLink)).values.map(idOf)).toEqual([old]);
});

test('changeType narrows later rounds', async () => {
  const { deltaLink } = await round(`${inbox}?changeType=created`);
  const id = await deliver('Made');
  const [other] = listOf(await bench.ask('GET', '/me/mailFolders/inbox/messages?$skip=1&$top=1')).map(idOf);
  await bench.ask('PATCH', `/me/messages/${other}`, { body: { isRead: true } });
  expect((await round(deltaLink)).values.map(idOf)).toEqual([id]);
});

test('other filters, searches and sort orders are refused; the whole mailbox has no delta', async () => {
  expect((await bench.ask('GET', `${inbox}?$filter=isRead eq true`)).status).toBe(400);
  expect((await bench.ask('GET', `${inbox}?$search="x"`)).status).toBe(400);
  expect((await bench.ask('GET', `${inbox}?$orderby=subject`)).status).toBe(400);
  expect((await bench.ask('GET', `${inbox}?$orderby=receivedDateTime desc`)).status).toBe(200);
  expect((await bench.ask('GET', '/me/messages/delta')).status).toBe(400);
});

test('an expired token is 410 SyncStateNotFound, a broken one 400', async () => {
  const { deltaLink } = await round(inbox);
  await bench.order('/delta', {});
  const gone = await bench.ask('GET', deltaLink);
  expect([gone.status, gone.code]).toEqual([410, 'SyncStateNotFound']);
  expect(gone.headers.get('location')).toContain('/messages/delta');
  expect((await bench.ask('GET', `${inbox}?$deltatoken=latest`)).status).toBe(400);
});

test('with immutable ids a message that moved out and back is told once, under the same id', async () => {
  const { deltaLink, values } = await round(inbox, immutable);
  const id = idOf(values[0]);
  await bench.ask('POST', `/me/messages/${id}/move`, { body: { destinationId: 'archive' } });
  await bench.ask('POST', `/me/messages/${id}/move`, { body: { destinationId: 'inbox' } });
  const next = await round(deltaLink, immutable);
  expect(next.values.map(idOf)).toEqual([id]);
  expect(next.values[0]).not.toHaveProperty('@removed');
});

test('a forged token is refused, whatever is in it', async () => {
  const { deltaLink } = await round(inbox);
  const token = new URL(deltaLink).searchParams.get('$deltatoken') ?? '';
  const state = JSON.parse(Buffer.from(token, 'base64url').toString()) as object;
  for (const change of [
    { cursor: 5 },
    { cursor: ['x', 1] },
    { since: 'x' },
    { from: {} },
    { q: 7 },
    { f: 'other' },
    { g: null },
  ]) {
    const forged = Buffer.from(JSON.stringify({ ...state, ...change })).toString('base64url');
    for (const name of ['$deltatoken', '$skiptoken']) {
      expect((await bench.ask('GET', `${inbox}?${name}=${forged}`)).status).toBe(410);
    }
  }
  const forgedFolders = Buffer.from(JSON.stringify({ since: 1e9, from: 'x', at: [], q: '', g: 1 })).toString(
    'base64url',
  );
  expect((await bench.ask('GET', `/me/mailFolders/delta?$deltatoken=${forgedFolders}`)).status).toBe(410);
  const search = Buffer.from(JSON.stringify({ at: -1 })).toString('base64url');
  expect((await bench.ask('GET', `/me/messages?$search="x"&$skiptoken=${search}`)).status).toBe(400);
});
