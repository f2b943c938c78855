import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { cases } from '../common/cases.ts';
import { type Bench, idOf, listOf, mailBench } from './test-mail.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await mailBench();
});
beforeEach(async () => {
  await bench.order('/reset', {});
  await bench.order('/limits', { off: true });
});
afterAll(() => bench.close());

const immutable = { headers: { Prefer: 'IdType="ImmutableId"' } };
const folders = ['inbox', 'archive', 'junkemail', 'deleteditems'];

const act = fc.oneof(
  fc.record({ kind: fc.constant('move' as const), message: fc.nat(50), folder: fc.constantFrom(...folders) }),
  fc.record({ kind: fc.constant('read' as const), message: fc.nat(50), isRead: fc.boolean() }),
  fc.record({ kind: fc.constant('delete' as const), message: fc.nat(50) }),
  fc.record({ kind: fc.constant('copy' as const), message: fc.nat(50), folder: fc.constantFrom(...folders) }),
  fc.record({ kind: fc.constant('deliver' as const), daysAgo: fc.nat(60) }),
);

/** What a client knows of a folder that follows its delta. */
const follow = async (folder: string, known: Map<string, boolean>, from?: string): Promise<string> => {
  for (let next = from ?? `/me/mailFolders/${folder}/messages/delta?$select=isRead`; ; ) {
    const reply = await bench.ask('GET', next, { headers: { Prefer: 'IdType="ImmutableId", odata.maxpagesize=3' } });
    for (const item of listOf(reply)) {
      if (item['@removed'] === undefined) known.set(idOf(item), item['isRead'] === true);
      else known.delete(idOf(item));
    }
    const { '@odata.nextLink': more, '@odata.deltaLink': done } = reply.json as Record<string, string | undefined>;
    if (done !== undefined) return done;
    next = String(more);
  }
};

test('whatever is moved, read, copied and deleted: immutable ids, counts, order and delta agree', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 12 }), async (acts) => {
      const followed = new Map(folders.map((folder) => [folder, new Map<string, boolean>()]));
      const links = new Map<string, string>();
      for (const [folder, known] of followed) links.set(folder, await follow(folder, known));
      for (const step of acts) {
        const ids = (await bench.all('/me/messages?$select=id&$top=100', immutable)).map(idOf);
        const path = 'message' in step ? `/me/messages/${ids[step.message % ids.length]}` : '';
        if (step.kind === 'move') {
          const moved = await bench.ask('POST', `${path}/move`, { body: { destinationId: step.folder }, ...immutable });
          expect(path).toContain(idOf(moved.json));
        } else if (step.kind === 'copy')
          await bench.ask('POST', `${path}/copy`, { body: { destinationId: step.folder } });
        else if (step.kind === 'read') await bench.ask('PATCH', path, { body: { isRead: step.isRead } });
        else if (step.kind === 'delete') await bench.ask('DELETE', path);
        else {
          const receivedAt = new Date(Date.now() - step.daysAgo * 86_400_000).toISOString();
          await bench.order('/deliver', {
            to: 'ada@sandbox.test',
            from: 'x@example.com',
            subject: 'P',
            body: '',
            receivedAt,
          });
        }
      }
      for (const [folder, known] of followed) {
        await follow(folder, known, links.get(folder));
        const listed = await bench.all(
          `/me/mailFolders/${folder}/messages?$select=isRead,receivedDateTime&$top=100`,
          immutable,
        );
        expect(known).toEqual(new Map(listed.map((item) => [idOf(item), item['isRead'] === true])));
        const times = listed.map(({ receivedDateTime }) => String(receivedDateTime));
        expect(times).toEqual(times.toSorted().toReversed());
        const { json } = await bench.ask('GET', `/me/mailFolders/${folder}`);
        expect([json['totalItemCount'], json['unreadItemCount']]).toEqual([
          listed.length,
          listed.filter(({ isRead }) => isRead !== true).length,
        ]);
      }
      const mailbox = bench.world.mailboxOf('ada@sandbox.test');
      const inFolders = [...(mailbox?.folders.values() ?? [])].reduce((sum, { messages }) => sum + messages.length, 0);
      expect([mailbox?.timeline.length, mailbox?.messages.size]).toEqual([inFolders, inFolders]);
    }),
    { numRuns: 12 },
  );
});

const piece = fc.constantFrom(
  'isRead',
  'subject',
  'from/emailAddress/address',
  'receivedDateTime',
  'categories/any(c:c eq ',
  "'x'",
  "''",
  'true',
  'eq',
  'ne',
  'and',
  'or',
  'not',
  '(',
  ')',
  'startswith(',
  ',',
  '2026-01-01T00:00:00Z',
  'any(',
  'a/b',
  '$',
  '%',
  '*',
  '1e309',
  '{',
  '"',
  "o'brien",
  '\u0000',
  '💥',
);
const words = fc.array(fc.oneof(piece, fc.string({ maxLength: 8 })), { maxLength: 12 }).map((parts) => parts.join(' '));
const option = fc.constantFrom(
  '$filter',
  '$search',
  '$select',
  '$orderby',
  '$top',
  '$skip',
  '$expand',
  '$count',
  '$skiptoken',
  '$deltatoken',
  'changeType',
  '$nothing',
);
const fine = (status: number) => status < 500 && status >= 200;

test('malformed query options get an answer of the service, never a 500', async () => {
  await fc.assert(
    fc.asyncProperty(
      option,
      words,
      fc.constantFrom('/me/messages', '/me/mailFolders', '/me/mailFolders/inbox/messages/delta', '/me/messages/$count'),
      async (name, value, path) => {
        const reply = await bench.ask('GET', `${path}?${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
        expect(fine(reply.status), reply.text).toBe(true);
      },
    ),
    cases(300),
  );
});

test('malformed ids, paths and keys never yield a 500', async () => {
  const segment = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom(
      "messages('",
      'messages',
      'mailFolders',
      'attachments',
      '$value',
      "('x')",
      'AAMkAG',
      'inbox',
      'delta',
      'move',
      '..',
    ),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(segment, { minLength: 1, maxLength: 5 }),
      fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE', 'PUT'),
      async (segments, method) => {
        const path = segments.map((text) => encodeURIComponent(text)).join('/');
        const reply = await bench.ask(method, `/me/messages/${path}`, method === 'GET' ? {} : { body: {} });
        expect(fine(reply.status), reply.text).toBe(true);
        const raw = await fetch(`${bench.url}/v1.0/%E0%A4%A/${path}`, {
          headers: { Authorization: `Bearer ${bench.tokenFor('ada@sandbox.test')}` },
        });
        expect(raw.status).toBeLessThan(500);
      },
    ),
    { numRuns: 100 },
  );
});

test('malformed bodies never yield a 500', async () => {
  const key = fc.constantFrom(
    'message',
    'subject',
    'body',
    'toRecipients',
    'flag',
    'categories',
    'importance',
    'singleValueExtendedProperties',
    'internetMessageHeaders',
    'attachments',
    'destinationId',
    'comment',
    'saveToSentItems',
    'displayName',
    'color',
    'requests',
    'resource',
    'changeType',
    'AttachmentItem',
    'from',
    'isRead',
    'automaticRepliesSetting',
    'workingHours',
    'inputIds',
    '@odata.type',
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      fc.string({ maxLength: 10 }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('any'), { maxLength: 3 }),
      tie('object'),
    ),
    object: fc.dictionary(
      fc.oneof(
        key,
        fc.constantFrom(
          'emailAddress',
          'address',
          'contentType',
          'content',
          'name',
          'value',
          'id',
          'method',
          'url',
          'dateTime',
        ),
      ),
      tie('any'),
      { maxKeys: 4 },
    ),
  }));
  const [draft] = [await bench.ask('POST', '/me/messages', { body: { subject: 'target' } })];
  const target = `/me/messages/${idOf(draft.json)}`;
  const routes: [string, string][] = [
    ['POST', '/me/messages'],
    ['PATCH', target],
    ['POST', '/me/sendMail'],
    ['POST', `${target}/move`],
    ['POST', `${target}/reply`],
    ['POST', `${target}/createForward`],
    ['POST', `${target}/attachments`],
    ['POST', `${target}/attachments/createUploadSession`],
    ['POST', '/me/mailFolders'],
    ['POST', '/me/outlook/masterCategories'],
    ['PATCH', '/me/mailboxSettings'],
    ['POST', '/subscriptions'],
    ['POST', '/$batch'],
    ['POST', '/me/translateExchangeIds'],
    ['POST', '/me/events'],
    ['POST', '/me/contacts'],
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...routes),
      fc.oneof(fc.dictionary(key, value.any, { maxKeys: 5 }), value.any),
      async ([method, path], body) => {
        const reply = await bench.ask(method, path, { body });
        expect(fine(reply.status), `${method} ${path} ${JSON.stringify(body)}\n${reply.text}`).toBe(true);
      },
    ),
    cases(400),
  );
  const garbage = await bench.ask('POST', '/me/messages', {
    raw: new Uint8Array([0xff, 0xfe, 0]),
    headers: { 'Content-Type': 'application/json' },
  });
  expect(garbage.code).toBe('RequestBodyRead');
});
