import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Bench, listOf, mailBench } from '../test-mail.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await mailBench();
  await bench.order('/deliver', {
    to: 'ada@sandbox.test',
    cc: 'cy@sandbox.test',
    from: 'Jo Pereira <jo@mail.contoso.com>',
    subject: 'Quarterly budget Q1',
    html: '<p>The advanced search of the <b>server</b> found numbers.</p>',
    receivedAt: '2026-03-05T10:00:00Z',
    importance: 'high',
    attachments: [{ name: 'figures march.xlsx', contentType: 'x/y', size: 5000 }],
  });
  await bench.order('/deliver', {
    to: 'ada@sandbox.test',
    from: 'mia@contoso.com',
    subject: 'Budget draft',
    body: 'numbers came later',
    receivedAt: '2026-03-06T10:00:00Z',
  });
});
afterAll(() => bench.close());

const find = async (kql: string): Promise<string[]> => {
  const quoted = `"${kql.replaceAll('"', '\\"')}"`;
  const reply = await bench.ask('GET', `/me/messages?$search=${encodeURIComponent(quoted)}&$select=subject&$top=100`);
  expect(reply.status).toBe(200);
  return listOf(reply).map(({ subject }) => String(subject));
};
const [quarterly, draft] = ['Quarterly budget Q1', 'Budget draft'];

test('words without a property are looked for in sender, subject and body', async () => {
  expect(await find('pereira')).toEqual([quarterly]);
  expect(await find('advanced')).toEqual([quarterly]);
  expect(await find('budget')).toEqual([draft, quarterly]);
  expect(await find('budget numbers')).toEqual([draft, quarterly]);
});

test('a property takes the word right after it, further words are free text', async () => {
  expect(await find('subject:budget Q1')).toEqual([quarterly]);
  expect(await find('subject:numbers')).toEqual([]);
  expect(await find('subject: budget numbers')).toEqual([]);
});

test('from with a domain finds every sender of it, not of longer names', async () => {
  expect(await find('from:contoso.com')).toEqual([draft, quarterly]);
  expect(await find('from:jo@mail.contoso.com')).toEqual([quarterly]);
  expect(await find('from:contoso.co')).toEqual([]);
  expect(await find('cc:cy')).toContain(quarterly);
  expect(await find('participants:contoso.com AND recipients:cy')).toEqual([quarterly]);
});

test('AND, OR and NOT count in capitals only; NOT binds closest, then AND, then OR', async () => {
  expect(await find('subject:draft OR subject:quarterly AND importance:high')).toEqual([draft, quarterly]);
  expect(await find('(subject:draft OR subject:quarterly) AND importance:high')).toEqual([quarterly]);
  expect(await find('budget NOT quarterly')).toEqual([draft]);
  expect(await find('budget -quarterly')).toEqual([draft]);
  expect(await find('+budget +quarterly')).toEqual([quarterly]);
  expect(await find('draft or quarterly')).toEqual([]);
});

test('phrases, and * at the end of words and phrases only', async () => {
  expect(await find('"advanced search"')).toEqual([quarterly]);
  expect(await find('"search advanced"')).toEqual([]);
  expect(await find('"advanced sear*"')).toEqual([quarterly]);
  expect(await find('serv*')).toEqual([quarterly]);
  expect(await find('from:*contoso.com')).toEqual([]);
});

test('NEAR looks at the distance between words, ONEAR at their order too', async () => {
  expect(await find('advanced NEAR(3) server')).toEqual([quarterly]);
  expect(await find('server NEAR(3) advanced')).toEqual([quarterly]);
  expect(await find('server ONEAR(3) advanced')).toEqual([]);
  expect(await find('advanced NEAR(1) numbers')).toEqual([]);
});

test('dates in both notations, with operators, ranges and intervals', async () => {
  expect(await find('received:03/05/2026')).toEqual([quarterly]);
  expect(await find('received:2026-03-05..2026-03-06')).toEqual([draft, quarterly]);
  expect(await find('received>2026-03-05 AND received<=2026-03-06')).toEqual([draft]);
  expect(await find('sent:2026-03-06')).toEqual([draft]);
  expect(await find('received:nonsense')).toEqual([]);
  await bench.order('/deliver', { to: 'ada@sandbox.test', from: 'now@example.com', subject: 'Just arrived', body: '' });
  expect(await find('received:today AND from:now')).toEqual(['Just arrived']);
  expect(await find('received:"last year" AND from:now')).toEqual([]);
});

test('attachments, size, importance, read state, categories and kind', async () => {
  expect(await find('attachment:figures')).toEqual([quarterly]);
  expect(await find('hasAttachments:true AND from:contoso.com')).toEqual([quarterly]);
  expect(await find('hasattachment:false from:contoso.com')).toEqual([draft]);
  expect(await find('size>4000 from:contoso.com')).toEqual([quarterly]);
  expect(await find('importance:medium from:contoso.com')).toEqual([draft]);
  expect(await find('isread:true from:contoso.com')).toEqual([]);
  expect(await find('category:"Red Category"')).toEqual(['Price list for the fair']);
  expect(await find('kind:meetings from:contoso.com')).toEqual([]);
});

test('results come in pages by $skiptoken, newest sent first', async () => {
  const first = await bench.ask('GET', '/me/messages?$search="from:contoso.com"&$top=1&$select=subject');
  expect(listOf(first)[0]?.['subject']).toBe(draft);
  const next = String(first.json['@odata.nextLink']);
  expect(next).toContain('skiptoken');
  expect(next).not.toMatch(/%24skip=/);
  const second = await bench.ask('GET', next);
  expect(listOf(second)[0]?.['subject']).toBe(quarterly);
  expect(second.json).not.toHaveProperty('@odata.nextLink');
});

test('with an index lag a new message is not found at once', async () => {
  await bench.order('/behaviour', { searchLagMs: 60_000 });
  await bench.order('/deliver', { to: 'ada@sandbox.test', from: 'x@example.com', subject: 'Zebra', body: '' });
  expect(await find('zebra')).toEqual([]);
  await bench.order('/clock', { advanceMs: 61_000 });
  expect(await find('zebra')).toEqual(['Zebra']);
});

test('a query that cannot be read is 400', async () => {
  for (const text of ['"(a"', '"a OR"', '"a)"', '""', '"']) {
    expect((await bench.ask('GET', `/me/messages?$search=${encodeURIComponent(text)}`)).status).toBe(400);
  }
});
