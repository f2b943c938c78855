import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultIntervals } from '#clock';
import { keptLog, type Workbench, workbench } from '#test';
import { openReceiver, type Received } from '../../test/webhook-receiver.ts';

const { log, lines } = keptLog();
let bench: Workbench;
beforeAll(async () => {
  const intervals = { ...defaultIntervals, noticeRetryMs: 2, sweepMs: 200, drainMs: 500 };
  bench = await workbench({ log, config: { intervals } });
});
afterAll(() => bench[Symbol.asyncDispose]());

const eventually = <Value>(look: () => Value | Promise<Value>) => expect.poll(look, { interval: 30 });

const make = async (url: string, events = ['account.needs_reconnect']) =>
  (await bench.owned('POST', '/v1/webhooks', { url, events })).body as { id: string; secret: string };
const tryOut = async (id: string): Promise<{ id: string; messageId: string }> =>
  (await bench.owned('POST', `/v1/webhooks/${id}/test`)).body;
const deliveriesOf = async (id: string) => (await bench.owned('GET', `/v1/webhooks/${id}/deliveries`)).body.items;
const firstOf = async (id: string) => (await deliveriesOf(id))[0];
const verified = (secret: string, { body, headers }: Received): unknown =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

/** In the house's own view. */
const inDatabase = async (text: string, values: unknown[] = []) => {
  const client = new pg.Client({ connectionString: bench.connectionString });
  await client.connect();
  await client.query("select set_config('app.workspace', '*', false)");
  const { rows } = await client.query(text, values);
  await client.end();
  return rows;
};

test('a run that ends is told by its ids alone, and only as often as it ended', async () => {
  await using receiver = await openReceiver();
  const accountId = await bench.connectBoard();
  const list = bench.board.newList();
  const run = (step: string, input: object) => bench.owned('POST', `/v1/steps/board.${step}/run`, { accountId, input });
  // By this it was looked up that nobody wants to know.
  await run('get_boards', {});
  const { id, secret } = await make(receiver.url, ['run.finished']);

  const reading = await run('get_boards', {});
  const writing = await run('create_card', { idList: list.id, name: 'Secret plan' });
  const failing = await run('get_card', { cardId: 'f'.repeat(24) });

  await eventually(() => receiver.received.length).toBe(3);
  const told = new Map(
    receiver.received.map((each) => {
      const { type, data } = verified(secret, each) as { type: string; data: { runId: string } };
      return [data.runId, { type, ...data }];
    }),
  );
  const type = 'run.finished';
  expect(told.get(reading.body.runId)).toEqual({
    type,
    runId: reading.body.runId,
    status: 'succeeded',
    stepId: 'board.get_boards',
  });
  expect(told.get(writing.body.runId)).toMatchObject({ type, status: 'succeeded', stepId: 'board.create_card' });
  expect([...told.values()]).toContainEqual(
    expect.objectContaining({ type, status: 'failed', stepId: 'board.get_card', errorCode: failing.body.error.code }),
  );
  expect(receiver.received.map(({ body }) => body).join()).not.toContain('Secret plan');
  await bench.owned('DELETE', `/v1/webhooks/${id}`);
});

test('a refused account is told, signed after Standard Webhooks, to those who asked for it alone', async () => {
  await using wanting = await openReceiver();
  await using other = await openReceiver();
  const { secret } = await make(wanting.url);
  await make(other.url, ['run.finished']);
  const accountId = await bench.connectBoard();
  bench.board.control.faults.add({ match: { path: '/1/members/me' }, kind: 'status', status: 401, times: 1 });

  await bench.owned('POST', `/v1/accounts/${accountId}/test`);

  await eventually(() => wanting.received.length).toBe(1);
  const [message] = wanting.received as [Received];
  expect(verified(secret, message)).toEqual({
    type: 'account.needs_reconnect',
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    data: { accountId, integration: 'board', name: expect.any(String), reason: expect.any(String) },
  });
  expect(message.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Switchboard-Webhooks' });
  expect(() => verified(secret, { ...message, body: message.body.replace('board', 'mail') })).toThrow(/signature/);
  expect(other.received).toEqual([]);
});

test('the secret is shown once and appears nowhere else', async () => {
  await using receiver = await openReceiver();
  const { id, secret } = await make(receiver.url);
  const { body: rotated } = await bench.owned('POST', `/v1/webhooks/${id}/rotate`);
  await tryOut(id);
  await eventually(() => receiver.received.length).toBe(1);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);

  const answers = await Promise.all(
    ['/v1/webhooks', `/v1/webhooks/${id}`, `/v1/webhooks/${id}/deliveries`, '/v1/audit?limit=100'].map((path) =>
      bench.owned('GET', path),
    ),
  );
  const rows = await inDatabase('select w::text as row from webhooks w union all select d::text from audit d');
  const places = [JSON.stringify(answers.map(({ body }) => body)), lines.join('\n'), JSON.stringify(rows)];
  for (const known of [secret, rotated.secret].map((each: string) => each.slice('whsec_'.length))) {
    const forms = [known, Buffer.from(known, 'base64').toString('hex')];
    expect(places.map((place) => forms.some((form) => place.includes(form)))).toEqual([false, false, false]);
  }
  expect(lines.length).toBeGreaterThan(10);
});

test('after a rotation both secrets verify for a day, then only the new one', async () => {
  await using receiver = await openReceiver();
  const { id, secret: old } = await make(receiver.url);
  const { body: rotated } = await bench.owned('POST', `/v1/webhooks/${id}/rotate`);
  await tryOut(id);
  await eventually(() => receiver.received.length).toBe(1);
  const [both] = receiver.received as [Received];
  expect(verified(old, both)).toEqual(verified(rotated.secret, both));
  expect(new Date(rotated.previousSecretUntil).getTime() - Date.now()).toBeGreaterThan(23.9 * 3_600_000);

  await inDatabase('update webhooks set previous_until = now() where id = $1', [id]);
  await tryOut(id);

  await eventually(() => receiver.received.length).toBe(2);
  const [, later] = receiver.received as [Received, Received];
  expect(verified(rotated.secret, later)).toMatchObject({ type: 'webhook.test' });
  expect(() => verified(old, later)).toThrow(/signature/);
});

test('rotated once more, as after an answer that was lost, the secret that receivers know goes on signing', async () => {
  await using receiver = await openReceiver();
  const { id, secret: first } = await make(receiver.url);
  const rotate = async () => (await bench.owned('POST', `/v1/webhooks/${id}/rotate`)).body.secret;
  const secrets = [first];
  for (let nth = 0; nth < 5; nth += 1) secrets.push(await rotate());
  await tryOut(id);

  await eventually(() => receiver.received.length).toBe(1);
  const [message] = receiver.received as [Received];
  for (const known of secrets.slice(1)) expect(verified(known, message)).toMatchObject({ type: 'webhook.test' });
  // The version before knows one place for one secret, and signs with nothing else.
  const [kept] = await inDatabase(
    'select length(previous_secret) = length(secret) as alone, earlier_secrets is not null as beside from webhooks where id = $1',
    [id],
  );
  expect(kept).toEqual({ alone: true, beside: true });
  // The newest and four before: each costs a signature.
  expect(() => verified(first, message)).toThrow(/signature/);

  await inDatabase('update webhooks set previous_until = now() where id = $1', [id]);
  const last = await rotate();
  await tryOut(id);
  await eventually(() => receiver.received.length).toBe(2);
  const [, later] = receiver.received as [Received, Received];
  for (const known of [last, ...secrets.slice(-1)])
    expect(verified(known, later)).toMatchObject({ type: 'webhook.test' });
  for (const known of secrets.slice(0, -1)) expect(() => verified(known, later)).toThrow(/signature/);
});

test('a secret that cannot be opened any more is replaced, and what waited is sent', async () => {
  await using receiver = await openReceiver();
  const { id } = await make(receiver.url);
  await inDatabase(
    "update webhooks set secret = '\\x00', previous_secret = '\\x00', previous_until = now() + interval '1 day' where id = $1",
    [id],
  );
  await tryOut(id);

  const { status, body: rotated } = await bench.owned('POST', `/v1/webhooks/${id}/rotate`);

  expect([status, rotated.previousSecretUntil]).toEqual([200, undefined]);
  await eventually(() => receiver.received.length).toBe(1);
  expect(verified(rotated.secret, receiver.received[0] as Received)).toMatchObject({ type: 'webhook.test' });
});

test('a message that is not taken comes again under the same id, signed anew, and the log keeps each try', async () => {
  await using receiver = await openReceiver((_, nth) =>
    nth < 3 ? { status: 500, body: `not now ${'x'.repeat(600)}` } : { status: 200, body: 'thanks' },
  );
  const { id, secret } = await make(receiver.url);
  const { messageId } = await tryOut(id);

  await eventually(() => receiver.received.length).toBe(3);
  await eventually(async () => (await firstOf(id)).state).toBe('delivered');

  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([messageId]));
  for (const each of receiver.received) expect(verified(secret, each)).toMatchObject({ type: 'webhook.test' });
  const { attempts, tries } = await firstOf(id);
  expect([attempts, tries.map(({ status }: { status: number }) => status)]).toEqual([3, [500, 500, 200]]);
  expect(tries[0].response).toBe(`not now ${'x'.repeat(492)}`);
  const { body } = await bench.owned('GET', `/v1/webhooks/${id}`);
  expect(body).not.toHaveProperty('failingSince');
  expect(body.recentDeliveries).toHaveLength(1);
});

test('a message that was given up can be sent again, under its own id', async () => {
  let status = 500;
  await using receiver = await openReceiver(() => ({ status }));
  const { id } = await make(receiver.url);
  const { id: deliveryId, messageId } = await tryOut(id);
  await eventually(() => receiver.received.length).toBeGreaterThan(0);
  // Between two tries: nobody is about to store how one ended.
  const giveUp = "update notice_deliveries set state = 'failed' where id = $1 and claimed_until is null returning id";
  await eventually(() => inDatabase(giveUp, [deliveryId])).toHaveLength(1);
  status = 200;
  const before = receiver.received.length;

  const { status: answered } = await bench.owned('POST', `/v1/webhooks/${id}/deliveries/${deliveryId}/resend`);

  expect(answered).toBe(202);
  await eventually(async () => (await firstOf(id)).state).toBe('delivered');
  expect(receiver.received).toHaveLength(before + 1);
  // The tries before count as well.
  expect(await firstOf(id)).toMatchObject({ attempts: before + 1, tries: { length: before + 1 } });
  expect(receiver.received.at(-1)?.headers['webhook-id']).toBe(messageId);
});

test('410 pauses the webhook with the reason; resumed it takes what waited', async () => {
  let status = 500;
  let first = '';
  await using receiver = await openReceiver(({ headers }) => ({
    status: first === '' || headers['webhook-id'] === first ? status : 410,
  }));
  const { id } = await make(receiver.url);
  first = (await tryOut(id)).messageId;
  await eventually(async () => (await firstOf(id)).tries.length).toBeGreaterThan(0);
  await tryOut(id);
  await eventually(async () => (await bench.owned('GET', `/v1/webhooks/${id}`)).body.state).toBe('paused');
  const { body } = await bench.owned('GET', `/v1/webhooks/${id}`);
  expect(body.reason).toContain('410');
  expect(await bench.owned('POST', `/v1/webhooks/${id}/test`)).toMatchObject({ status: 409 });
  const sent = receiver.received.length;
  await inDatabase("update notice_deliveries set next_try_at = now() - interval '1 min' where webhook_id = $1", [id]);
  // Two sweeps and more, in which nobody may come for it.
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(receiver.received).toHaveLength(sent);

  status = 200;
  await bench.owned('PATCH', `/v1/webhooks/${id}`, { state: 'enabled' });

  const states = async () => (await deliveriesOf(id)).map(({ state }: { state: string }) => state);
  await eventually(states).toEqual(['failed', 'delivered']);
  expect((await bench.owned('GET', `/v1/webhooks/${id}`)).body).not.toHaveProperty('reason');
});

test('a webhook that takes nothing for days is paused with the reason', async () => {
  await using receiver = await openReceiver(() => ({ status: 503 }));
  const { id } = await make(receiver.url);
  await inDatabase("update webhooks set failing_since = now() - interval '6 days' where id = $1", [id]);

  await tryOut(id);

  await eventually(async () => (await bench.owned('GET', `/v1/webhooks/${id}`)).body.state).toBe('paused');
  const { body } = await bench.owned('GET', `/v1/webhooks/${id}`);
  expect(body.reason).toContain('503');
  const { body: audit } = await bench.owned('GET', '/v1/audit');
  expect(audit.items).toContainEqual(expect.objectContaining({ action: 'webhook.paused', target: id }));
});

test('a receiver that hangs holds up no other, and has few messages at once however many wait', async () => {
  let gate = Promise.withResolvers<void>();
  let open = 0;
  let most = 0;
  await using slow = await openReceiver(async () => {
    open += 1;
    most = Math.max(most, open);
    await gate.promise;
    open -= 1;
    return { status: 204 };
  });
  await using fast = await openReceiver();
  const { id: slowId } = await make(slow.url);
  const { id: fastId } = await make(fast.url);
  await Promise.all(Array.from({ length: 30 }, () => tryOut(slowId)));
  await eventually(() => slow.received.length).toBe(8);

  await Promise.all(Array.from({ length: 10 }, () => tryOut(fastId)));

  await eventually(() => fast.received.length).toBe(10);
  expect(slow.received).toHaveLength(8);
  gate.resolve();
  await eventually(() => slow.received.length).toBe(30);
  expect(most).toBe(8);
  expect(new Set(slow.received.map(({ headers }) => headers['webhook-id'])).size).toBe(30);

  // While nothing is taken there it has only one, so that many who hang leave room for others.
  const underWay = "select id from notice_deliveries where webhook_id = $1 and state <> 'delivered'";
  // One that ends well later would say that all is well there.
  await eventually(() => inDatabase(underWay, [slowId])).toEqual([]);
  gate = Promise.withResolvers<void>();
  await inDatabase('update webhooks set failing_since = now() where id = $1', [slowId]);
  await Promise.all(Array.from({ length: 5 }, () => tryOut(slowId)));
  await tryOut(fastId);
  await eventually(() => fast.received.length).toBe(11);
  expect(slow.received).toHaveLength(31);
  gate.resolve();
  await eventually(() => slow.received.length).toBe(35);
});

test('a redirect is an answer like any other: nothing is followed', async () => {
  await using secret = await openReceiver();
  await using receiver = await openReceiver(() => ({ status: 307, headers: { location: secret.url } }));
  const { id } = await make(receiver.url);
  await tryOut(id);

  await eventually(async () => (await firstOf(id)).tries.length).toBeGreaterThan(1);

  expect((await firstOf(id)).tries[0]).toMatchObject({ status: 307 });
  expect(secret.received).toEqual([]);
});

test('what is older than 30 days is forgotten, what is due although nobody comes for it is brought', async () => {
  await using receiver = await openReceiver();
  const { id } = await make(receiver.url);
  const old = `dlv_${'0'.repeat(26)}`;
  const { id: made } = await tryOut(id);
  await eventually(() => receiver.received.length).toBe(1);
  await eventually(async () => (await firstOf(id)).state).toBe('delivered');
  await inDatabase(
    `insert into notice_deliveries (id, workspace_id, kind, webhook_id, notice_id, state, created_at)
     select $1, workspace_id, kind, webhook_id, notice_id, 'delivered', created_at from notice_deliveries where id = $2`,
    [old, made],
  );
  await inDatabase(
    "update notice_deliveries set state = 'pending', next_try_at = now() - interval '1 min' where id = $1",
    [made],
  );

  await eventually(() => receiver.received.length).toBe(2);
  await eventually(async () => (await deliveriesOf(id)).map((each: { id: string }) => each.id)).toEqual([made]);
});

describe('who', () => {
  test('another workspace sees none of it: its ids look like unknown ones', async () => {
    await using receiver = await openReceiver();
    const { id } = await make(receiver.url);
    const { id: deliveryId } = await tryOut(id);
    const { key } = await bench.newTenant('Other');
    const mine = await bench.call('POST', '/v1/webhooks', {
      key,
      body: { url: receiver.url, events: ['event.fired'] },
    });
    const routes: [string, string, unknown?][] = [
      ['GET', ''],
      ['PATCH', '', { state: 'paused' }],
      ['DELETE', ''],
      ['POST', '/rotate'],
      ['POST', '/test'],
      ['GET', '/deliveries'],
      ['POST', `/deliveries/${deliveryId}/resend`],
    ];
    for (const [method, rest, body] of routes) {
      const answer = (at: string) => bench.call(method, `/v1/webhooks/${at}${rest}`, { key, body });
      const [theirs, nobodys] = [await answer(id), await answer('whk_00000000000000000000000000')];
      expect([method, rest, theirs.status]).toEqual([method, rest, 404]);
      expect(theirs.body.error.message).toBe(nobodys.body.error.message);
    }
    // Somebody else's delivery through one's own webhook.
    const through = `/v1/webhooks/${mine.body.id}/deliveries/${deliveryId}/resend`;
    expect(await bench.call('POST', through, { key })).toMatchObject({ status: 404 });
    expect((await bench.call('GET', '/v1/webhooks', { key })).body.items).toHaveLength(1);
    expect((await bench.owned('GET', `/v1/webhooks/${id}`)).body.state).toBe('enabled');
  });

  test('only owners and administrators come near it', async () => {
    const { body } = await bench.owned('POST', '/v1/api-keys', { name: 'build', scopes: ['build', 'connect'] });
    expect(await bench.call('GET', '/v1/webhooks', { key: body.key })).toMatchObject({ status: 403 });
  });
});

test('the OpenAPI document names every message with its shape', async () => {
  const { body } = await bench.call('GET', '/v1/openapi.json');

  const { post } = body.webhooks['run.finished'];
  expect(Object.keys(body.webhooks).sort()).toEqual([
    'account.needs_reconnect',
    'approval.requested',
    'event.fired',
    'run.finished',
    'trigger.broken',
    'webhook.test',
  ]);
  expect(post.requestBody.content['application/json'].schema.properties.data.properties.runId).toMatchObject({
    type: 'string',
  });
});
