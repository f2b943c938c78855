import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Workbench, workbench } from '#test';
import { writesIn } from '../together.ts';

let bench: Workbench;
let wide: string;
let message: string;
const call = (method: string, endpoint: string, more: object = {}) =>
  bench.run('mail.api_call', { method, endpoint, ...more }, 'autopilot');
const deliver = async (mail: object = {}): Promise<string> => {
  const answer = await fetch(`${bench.mail.url}/_control/deliver`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ to: 'ada@sandbox.test', from: 'ben@sandbox.test', subject: 'Raw', ...mail }),
  });
  return ((await answer.json()) as { id: string }).id;
};
const failing = async (input: object) => {
  const answer = await bench.owned('POST', '/v1/steps/mail.api_call/run', { accountId: wide, input });
  return answer.body.error;
};
const waiting = async (input: object) => {
  const answer = await bench.owned('POST', '/v1/steps/mail.api_call/run', { accountId: wide, input });
  return answer.body.approval;
};
const outbox = () => bench.mail.world.outbox.length;
const when = (hour: string) => ({ dateTime: `2026-12-01T${hour}:00:00`, timeZone: 'UTC' });

beforeAll(async () => {
  bench = await workbench({ mail: true });
  wide = await bench.connectMail('ada@sandbox.test', [
    'User.Read',
    'Mail.ReadWrite',
    'Mail.ReadWrite.Shared',
    'Mail.Send',
  ]);
  message = await deliver({ attachments: [{ name: 'a.txt', contentType: 'text/plain', contentBytes: 'aGVsbG8=' }] });
});
beforeEach(() => bench.mail.control.faults.clear());
afterAll(() => bench[Symbol.asyncDispose]());

test('the journal names the id under which the service knows a call, of reads and writes', async () => {
  for (const [method, body] of [['GET'], ['PATCH', { isRead: true }]] as const) {
    const input = { method, endpoint: `/me/messages/${message}`, ...(body === undefined ? {} : { body }) };
    const { runId, output } = (await bench.owned('POST', '/v1/steps/mail.api_call/run', { accountId: wide, input }))
      .body;
    const { journal } = (await bench.owned('GET', `/v1/runs/${runId}`)).body;
    const [call] = journal.filter(({ kind }: { kind: string }) => kind === 'call').slice(-1);
    expect(call.data).toMatchObject({ method, status: 200, requestId: output.headers['request-id'] });
    expect(call.data.requestId).toMatch(/^[\da-f-]{36}$/);
  }
});

test('an endpoint may begin with the version, as the pages of the service write it', async () => {
  for (const endpoint of ['/v1.0/me', '/me']) {
    expect(await call('GET', endpoint)).toMatchObject({ status: 200, data: { mail: 'ada@sandbox.test' } });
  }
  expect(await failing({ method: 'GET', endpoint: '/beta/me' })).toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining('leave "/beta" out'),
  });
  // What it does is judged without the version, too.
  const send = { message: { toRecipients: [{ emailAddress: { address: 'ben@sandbox.test' } }] } };
  const { request } = await waiting({ method: 'POST', endpoint: '/v1.0/me/sendMail', body: send });
  expect(request).toMatchObject({ method: 'POST', path: '/me/sendMail' });
});

describe('every path that people are promised', () => {
  test('messages: list, get, reply, forward, mark, copy, move, attachments, delete, send', async () => {
    expect(await call('GET', '/me/messages')).toMatchObject({ status: 200, data: { value: expect.any(Array) } });
    expect(await call('GET', `/me/messages/${message}`)).toMatchObject({ status: 200, data: { subject: 'Raw' } });
    const to = [{ emailAddress: { address: 'ben@sandbox.test' } }];
    const before = outbox();
    const mail = { message: { subject: 'Raw send', body: { contentType: 'text', content: 'x' }, toRecipients: to } };
    expect(await call('POST', '/me/sendMail', { body: mail })).toMatchObject({ status: 202 });
    expect(await call('POST', `/me/messages/${message}/reply`, { body: { comment: 'ok' } })).toMatchObject({
      status: 202,
    });
    expect(
      await call('POST', `/me/messages/${message}/forward`, { body: { comment: 'ok', toRecipients: to } }),
    ).toMatchObject({
      status: 202,
    });
    expect(outbox()).toBe(before + 3);
    expect(await call('PATCH', `/me/messages/${message}`, { body: { isRead: true } })).toMatchObject({
      status: 200,
      data: { isRead: true },
    });
    const files = await call('GET', `/me/messages/${message}/attachments`);
    const [file] = files.data.value;
    expect(await call('GET', `/me/messages/${message}/attachments/${file.id}`)).toMatchObject({
      data: { contentBytes: 'aGVsbG8=' },
    });
    const copied = await call('POST', `/me/messages/${message}/copy`, { body: { destinationId: 'archive' } });
    expect(copied.status).toBe(201);
    const moved = await call('POST', `/me/messages/${copied.data.id}/move`, { body: { destinationId: 'inbox' } });
    expect(moved).toMatchObject({ status: 201, data: { id: copied.data.id } });
    expect(await call('DELETE', `/me/messages/${moved.data.id}`)).toMatchObject({ status: 204 });
  });

  test('events: list, create, get, update, delete, free/busy', async () => {
    expect(await call('GET', '/me/calendar/events')).toMatchObject({ status: 200 });
    const body = { subject: 'Raw event', start: when('09'), end: when('10') };
    const made = await call('POST', '/me/calendar/events', { body });
    expect(made).toMatchObject({ status: 201, data: { subject: 'Raw event' } });
    const { id } = made.data;
    expect(await call('GET', `/me/events/${id}`)).toMatchObject({ status: 200 });
    expect(await call('PATCH', `/me/events/${id}`, { body: { subject: 'Other' } })).toMatchObject({
      data: { subject: 'Other' },
    });
    expect(await call('DELETE', `/me/events/${id}`)).toMatchObject({ status: 204 });
    const asked = { schedules: ['ben@sandbox.test'], startTime: when('09'), endTime: when('17') };
    expect(await call('POST', '/me/calendar/getSchedule', { body: asked })).toMatchObject({
      status: 200,
      data: { value: [{ scheduleId: 'ben@sandbox.test' }] },
    });
  });

  test('contacts and folders: list, create, get, update, delete', async () => {
    expect(await call('GET', '/me/contacts')).toMatchObject({ status: 200 });
    const made = await call('POST', '/me/contacts', { body: { givenName: 'Raw' } });
    expect(made.status).toBe(201);
    const contact = `/me/contacts/${made.data.id}`;
    expect(await call('GET', contact)).toMatchObject({ data: { givenName: 'Raw' } });
    expect(await call('PATCH', contact, { body: { surname: 'Call' } })).toMatchObject({ data: { surname: 'Call' } });
    expect(await call('DELETE', contact)).toMatchObject({ status: 204 });
    expect(await call('GET', '/me/mailFolders')).toMatchObject({ status: 200 });
    const folder = await call('POST', '/me/mailFolders', { body: { displayName: 'Raw folder' } });
    expect(folder.status).toBe(201);
    expect(await call('GET', `/me/mailFolders/${folder.data.id}`)).toMatchObject({
      data: { displayName: 'Raw folder' },
    });
  });

  test('the messages of a shared mailbox', async () => {
    const input = { method: 'GET', endpoint: '/users/team@sandbox.test/messages' };
    const { body } = await bench.owned('POST', '/v1/steps/mail.api_call/run', { accountId: wide, input });
    expect(body.output).toMatchObject({ status: 200 });
    expect(await call('GET', '/users/ben@sandbox.test/messages')).toMatchObject({
      status: 403,
      data: { error: { code: 'ErrorAccessDenied' } },
    });
  });

  test.each([
    ['/me/messages?$search="subject:Raw"&$select=subject', {}],
    ['/me/messages', { $search: '"subject:Raw"', $select: 'subject' }],
    [
      "/me/messages?$filter=receivedDateTime ge 2020-01-01T00:00:00Z and subject eq 'Raw'",
      { $orderby: 'receivedDateTime desc' },
    ],
    ["/me/messages?$filter=from/emailAddress/address%20eq%20'ben@sandbox.test'%20and%20subject%20eq%20'Raw'", {}],
  ])('query in the endpoint and beside it: %s %j', async (endpoint, query) => {
    const { status, data } = await call('GET', endpoint, { query });
    expect(status).toBe(200);
    expect(data.value.length).toBeGreaterThan(0);
    for (const { subject } of data.value) expect(subject).toContain('Raw');
  });
});

describe('answers come as the service gives them', () => {
  test('refusals too', async () => {
    expect(await call('GET', '/me/messages/what')).toMatchObject({
      status: 400,
      data: { error: { code: 'ErrorInvalidIdMalformed' } },
    });
  });

  test.each([
    ['a draft', 'POST', '/me/messages/bad/send', undefined],
    ['a mail to answer', 'POST', '/me/messages/bad/reply', { comment: 'ok' }],
    ['a meeting', 'PATCH', '/me/events/bad', { subject: 'x' }],
    ['a meeting to leave', 'DELETE', '/me/events/bad', undefined],
  ])('of what would ask a person too, where %s is not there: nobody is asked', async (_, method, endpoint, body) => {
    const before = outbox();
    const output = await bench.run('mail.api_call', { method, endpoint, body });

    expect(output).toMatchObject({ status: 400, data: { error: { code: 'ErrorInvalidIdMalformed' } } });
    expect(outbox()).toBe(before);
  });

  test('a batch in which one part is about nothing is refused as a whole, with the reason', async () => {
    const requests = [
      { id: '1', method: 'POST', url: '/me/messages/bad/send' },
      { id: '2', method: 'GET', url: '/me' },
    ];
    const error = await failing({ method: 'POST', endpoint: '/$batch', body: { requests } });
    expect(error).toMatchObject({ code: 'invalid_input', details: { upstream: { status: 400 } } });
  });

  test('a GET is repeated only if asked for, a write never', async () => {
    const fault = { match: { path: '/v1.0/me' }, kind: 'status', status: 503 } as const;
    const count = () => bench.mail.control.log.list().filter(({ status }) => status === 503).length;
    bench.mail.control.faults.add({ ...fault, times: 1 });
    expect(await call('GET', '/me')).toMatchObject({ status: 503 });
    bench.mail.control.faults.add({ ...fault, times: 1 });
    expect(await call('GET', '/me', { retry: true })).toMatchObject({ status: 200 });
    expect(count()).toBe(2);
    bench.mail.control.faults.add(fault);
    expect(await call('POST', '/me/mailFolders', { body: { displayName: 'No' }, retry: true })).toMatchObject({
      status: 503,
    });
    expect(count()).toBe(3);
  });

  test('headers of the list reach the service, others are refused', async () => {
    const headers = { Prefer: 'outlook.body-content-type="text"' };
    const answer = await call('GET', `/me/messages/${message}`, { headers });
    expect(answer.headers['preference-applied']).toMatch(/IdType="ImmutableId".*body-content-type="text"/);
    const own = await call('GET', `/me/messages/${message}`, { headers: { prefer: 'IdType="Default"' } });
    expect([answer.data.id, own.data.id]).toEqual([message, expect.not.stringContaining(message)]);
    for (const name of ['Authorization', 'Host', 'Cookie', 'X-HTTP-Method-Override']) {
      expect(await failing({ method: 'GET', endpoint: '/me', headers: { [name]: 'x' } })).toMatchObject({
        code: 'invalid_input',
      });
    }
  });

  test('lists are read page by page, all at once, or as far as wanted', async () => {
    for (let n = 0; n < 5; n += 1) await deliver({ subject: `Page ${n}`, from: 'pager@x.example' });
    const endpoint = "/me/messages?$filter=from/emailAddress/address eq 'pager@x.example'&$top=2";
    const first = await call('GET', endpoint);
    expect(first).toMatchObject({ truncated: true, nextCursor: expect.any(String) });
    const second = await call('GET', endpoint, { cursor: first.nextCursor });
    expect([...first.data.value, ...second.data.value].map(({ id }) => id)).toHaveLength(4);
    expect((await call('GET', endpoint, { paginate: 'all' })).data.value).toHaveLength(5);
    const three = await call('GET', endpoint, { paginate: 3 });
    const others = await call('GET', endpoint, { paginate: 'all', cursor: three.nextCursor });
    expect([three.data.value.length, three.truncated, others.data.value.length]).toEqual([3, true, 2]);
    expect(new Set([...three.data.value, ...others.data.value].map(({ id }) => id)).size).toBe(5);
    const elsewhere = { method: 'GET', endpoint: '/me/contacts', cursor: first.nextCursor };
    expect(await failing(elsewhere)).toMatchObject({ code: 'invalid_input' });
  });

  test('what is too large is cut to whole items, and says so', async () => {
    const { data, truncated } = await call('GET', '/me/messages?$top=20', { maxBytes: 20_000 });
    expect(truncated).toBe(true);
    expect(JSON.stringify(data).length).toBeLessThanOrEqual(20_000);
    expect(data.value.at(-1).subject).toEqual(expect.any(String));
  });

  test.each(['off', 'all', 4])('what was cut comes with the next cursor (paginate %s)', async (paginate) => {
    for (let n = 0; n < 7; n += 1) await deliver({ subject: `Cut ${paginate} ${n}`, from: `cut${paginate}@x.example` });
    const endpoint = `/me/messages?$filter=from/emailAddress/address eq 'cut${paginate}@x.example'&$top=6&$select=subject`;
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await call('GET', endpoint, { paginate, maxBytes: 1_000, ...(cursor && { cursor }) });
      expect(JSON.stringify(page.data).length).toBeLessThanOrEqual(1_000);
      expect(page.truncated).toBe(page.nextCursor !== undefined);
      seen.push(...page.data.value.map(({ subject }: { subject: string }) => subject));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen.toSorted()).toEqual(Array.from({ length: 7 }, (_, n) => `Cut ${paginate} ${n}`));
  });

  test.each([1, 3])('where not one item fits, it is told, and the list goes on after it ($top %i)', async (top) => {
    const from = `long${top}@x.example`;
    await deliver({ subject: 'Before', from, receivedAt: '2026-01-01T00:00:01Z' });
    await deliver({ subject: 'x'.repeat(250), from, body: 'y'.repeat(2_000), receivedAt: '2026-01-01T00:00:02Z' });
    await deliver({ subject: 'After', from, receivedAt: '2026-01-01T00:00:03Z' });
    const endpoint = `/me/messages?$filter=from/emailAddress/address eq '${from}'&$top=${top}&$select=subject,body`;
    const seen: { subjects: string[]; note?: string; at?: string }[] = [];
    let cursor: string | undefined;
    do {
      const page = await call('GET', endpoint, { maxBytes: 1_000, ...(cursor && { cursor }) });
      const subjects = page.data.value.map(({ subject }: { subject: string }) => subject);
      seen.push({ subjects, note: page.note, ...(cursor && { at: cursor }) });
      cursor = page.nextCursor;
    } while (cursor !== undefined);

    expect(seen.flatMap(({ subjects }) => subjects).toSorted()).toEqual(['After', 'Before']);
    const told = seen.filter(({ note }) => note !== undefined);
    expect(told).toHaveLength(1);
    expect(told[0]?.note).toMatch(
      /ask for it with maxBytes \d+ or a narrower \$select\. nextCursor goes on after it\.$/,
    );
    const maxBytes = Number(/\d+/.exec(told[0]?.note ?? '')?.[0]);
    const large = await call('GET', endpoint, { maxBytes, ...(told[0]?.at && { cursor: told[0].at }) });
    expect(large.data.value.map(({ subject }: { subject: string }) => subject)).toEqual(['x'.repeat(250)]);
  });

  test('content is stored as a file', async () => {
    const { data } = await call('GET', `/me/messages/${message}/attachments`);
    const endpoint = `/me/messages/${message}/attachments/${data.value[0].id}/$value`;
    const { fileRef } = await call('GET', endpoint, { responseType: 'file' });
    expect(fileRef).toMatchObject({ contentType: 'text/plain', size: 5 });
    expect((await bench.owned('GET', `/v1/files/${fileRef.ref}`)).body).toBe('hello');

    // What is too large for an answer is not smaller by fields, but another step has a way to it.
    const large = await deliver({ attachments: [{ name: 'b', contentType: 'image/png', size: 8_000_000 }] });
    const listed = await call('GET', `/me/messages/${large}/attachments`, { query: { $select: 'id' } });
    const { id } = listed.data.value[0];
    const refused = await failing({ method: 'GET', endpoint: `/me/messages/${large}/attachments/${id}` });
    expect(refused).toMatchObject({ code: 'too_large', message: expect.stringContaining('get_attachment') });
  });

  test('JSON as text is JSON; other text needs its type', async () => {
    const body = JSON.stringify({ displayName: 'From text' });
    expect(await call('POST', '/me/mailFolders', { body })).toMatchObject({ status: 201 });
    for (const asked of [
      { method: 'POST', endpoint: '/me/messages', body: 'hi' },
      { method: 'GET', endpoint: '/me/messages', body },
    ]) {
      expect(await failing(asked)).toMatchObject({ details: { fields: [{ field: 'input.body' }] } });
    }
    for (const type of ['', 'application/xml', 'text/plain']) {
      const asked = { method: 'POST', endpoint: '/me/sendMail', body, headers: { 'content-type': type } };
      expect(await failing(asked)).toMatchObject({ details: { fields: [{ field: 'input.headers' }] } });
    }
    const mime = Buffer.from('Subject: Raw MIME\r\nTo: ben@sandbox.test\r\n\r\nHi').toString('base64');
    const draft = await call('POST', '/me/messages', { body: mime, headers: { 'Content-Type': 'text/plain' } });
    expect(draft).toMatchObject({ status: 201, data: { subject: 'Raw MIME' } });
  });
});

describe('nothing that sends slips through', () => {
  const to = [{ emailAddress: { address: 'ben@sandbox.test' } }];
  const message1 = { message: { subject: 'x', toRecipients: to } };
  test.each([
    ['POST', '/me/sendMail', message1],
    ['POST', '/me/SendMail', message1],
    ['POST', "/users('ada@sandbox.test')/sendMail", message1],
    [
      'POST',
      '/$batch',
      {
        requests: [
          {
            id: '1',
            method: 'POST',
            url: '/me/sendMail',
            headers: { 'Content-Type': 'application/json' },
            body: message1,
          },
        ],
      },
    ],
    [
      'POST',
      '/$batch',
      JSON.stringify({
        requests: [
          {
            id: '1',
            method: 'POST',
            url: '/me/sendMail',
            headers: { 'Content-Type': 'application/json' },
            body: message1,
          },
        ],
      }),
    ],
    ['POST', '/me/events', { subject: 'x', start: when('09'), end: when('10'), attendees: to }],
  ])('%s %s waits for a person', async (method, endpoint, body) => {
    const before = outbox();
    expect(await waiting({ method, endpoint, body })).toMatchObject({ status: 'pending', effect: 'send' });
    expect(outbox()).toBe(before);
  });

  test.each([
    ['is called otherwise', { Requests: [] }],
    [
      'brings a credential',
      { requests: [{ id: '1', method: 'GET', url: '/me', headers: { Authorization: 'Bearer x' } }] },
    ],
    [
      'means another method',
      { requests: [{ id: '1', method: 'GET', url: '/me', headers: { 'x-http-method': 'PUT' } }] },
    ],
  ])('a batch that %s is refused', async (_, body) => {
    for (const endpoint of ['/$batch', '/%24BATCH/']) {
      expect(await failing({ method: 'POST', endpoint, body })).toMatchObject({ code: 'invalid_input' });
    }
  });

  test('a batch of reads is a read', async () => {
    const requests = [
      { id: '1', method: 'GET', url: '/me' },
      { id: '2', method: 'GET', url: '/me/messages?$top=1' },
    ];
    const answer = await bench.run('mail.api_call', { method: 'POST', endpoint: '/$batch', body: { requests } });
    expect(answer.data.responses.map(({ status }: { status: number }) => status)).toEqual([200, 200]);
  });

  test.each([
    'https://elsewhere.example/me',
    '//elsewhere.example/me',
    'me/messages',
    '/../admin',
    '/me/..%2f..%2fadmin',
    '/me#x',
    '/me\\x',
  ])('%s is refused before anything is sent', async (endpoint) => {
    const before = bench.mail.control.log.list().length;
    expect(await failing({ method: 'GET', endpoint })).toMatchObject({ code: 'invalid_input' });
    expect(bench.mail.control.log.list().length).toBe(before);
  });
});

test.each([429, 503])(
  '%i is passed on with how long to wait; until then we do not ask either, unless a repetition is wanted',
  async (status) => {
    const busy = () => bench.mail.control.faults.add({ match: {}, kind: 'status', status, retryAfter: 1, times: 1 });
    busy();
    expect(await call('GET', '/me')).toMatchObject({ status, rate: { retryAfterMs: 1_000 } });
    await expect(call('GET', '/me')).rejects.toThrow(/rate_limited/);
    expect(await call('GET', '/me', { retry: true })).toMatchObject({ status: 200 });
    busy();
    expect(await call('GET', '/me', { retry: true })).toMatchObject({ status: 200 });
  },
);

test('a part of a batch that the service asks to come later keeps us away as well', async () => {
  const allow = (concurrent: number) =>
    fetch(`${bench.mail.url}/_control/limits`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ concurrent }),
    });
  await allow(1);
  onTestFinished(async () => void (await allow(4)));
  const requests = ['1', '2', '3'].map((id) => ({ id, method: 'GET', url: '/me/messages?$top=1' }));
  const { status, data, rate } = await call('POST', '/$batch', { body: { requests } });
  const parts = (data as { responses: { status: number }[] }).responses.map((part) => part.status);
  expect([status, parts.toSorted(), rate]).toEqual([200, [200, 429, 429], { retryAfterMs: 1_000 }]);
  await expect(call('GET', '/me')).rejects.toThrow(/rate_limited/);
  expect(await call('GET', '/me', { retry: true })).toMatchObject({ status: 200 });
});

describe('a batch is known by what became of its writes', () => {
  const send = (id: string, to: string) => ({
    id,
    method: 'POST',
    url: '/me/sendMail',
    headers: { 'Content-Type': 'application/json' },
    body: {
      message: {
        subject: 'In a batch',
        body: { contentType: 'text', content: 'x' },
        toRecipients: [{ emailAddress: { address: to } }],
      },
    },
  });
  const read = { id: 'r', method: 'GET', url: '/me' };

  test.each([
    ['all refused', [read, send('1', 'nobody'), send('2', 'no one')], 'effect.not_sent', 0],
    ['some done', [send('1', 'nobody'), read, send('2', 'ben@sandbox.test')], 'effect.sent', 1],
  ] as const)('%s', async (_, requests, action, sent) => {
    const before = outbox();
    expect(await call('POST', '/$batch', { body: { requests } })).toMatchObject({ status: 200 });
    const { body } = await bench.owned('GET', '/v1/audit?limit=20');
    const records: { action: string }[] = body.items;
    expect(records.find((record) => record.action.startsWith('effect.'))?.action).toBe(action);
    expect(outbox()).toBe(before + sent);
  });

  test.each([
    [
      'that failed on the way',
      [
        { id: 'r', status: 200 },
        { id: 'A', status: 504 },
      ],
      [504],
    ],
    ['that is not told of', [{ id: 'r', status: 200 }], [504]],
    ['that is done', [{ id: 'a', status: 202 }], [202]],
  ])('one %s', (_, responses, statuses) => {
    const asked = { path: '/$batch', body: { requests: [read, { id: 'a', method: 'POST', url: '/me/sendMail' }] } };
    const writes = writesIn(asked, { status: 200, headers: {}, body: { responses } });
    expect(writes?.map(({ status }) => status)).toEqual(statuses);
  });
});
