import { describe, expect, test } from 'vitest';
import type { CatalogueStep, SendView, UpstreamRequest } from '#kit';
import { createClearance } from './clearance.ts';
import { approvalDigest, type Bound, shownRequest } from './digest.ts';
import type { ApprovalRow } from './records.ts';

const request = {
  method: 'POST',
  path: '/me/sendMail',
  query: { $select: 'id' },
  headers: { prefer: 'IdType="ImmutableId"' },
  body: {
    message: {
      subject: 'Offer',
      toRecipients: [{ emailAddress: { name: 'Ben', address: 'ben@sandbox.test' } }],
      bccRecipients: [{ emailAddress: { address: 'cy@sandbox.test' } }],
      body: { contentType: 'html', content: '<p>12 pieces, 40 each</p>' },
      attachments: [{ name: 'offer.txt', contentBytes: Buffer.from('twelve').toString('base64') }],
      importance: 'normal',
      isDeliveryReceiptRequested: false,
    },
    saveToSentItems: true,
    retries: 3,
  },
} as unknown as UpstreamRequest;
const view: SendView = {
  kind: 'mail',
  from: { address: 'ada@sandbox.test' },
  to: [{ name: 'Ben', address: 'ben@sandbox.test' }],
  cc: [],
  bcc: [{ address: 'cy@sandbox.test' }],
  replyTo: [],
  subject: 'Offer',
  body: { text: '12 pieces, 40 each', html: '<p>12 pieces, 40 each</p>' },
  attachments: [{ name: 'offer.txt', size: 6, sha256: 'ab' }],
  fields: { importance: 'normal', receipt: false },
  warnings: [],
};
const bound: Bound = { accountId: 'acc_1', requests: [shownRequest({ request })], view };

/** A random source that begins the same each time. */
const dice = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
};

const leaves = (value: unknown, at: readonly string[] = []): string[][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, each]) => leaves(each, [...at, key]))
    : [[...at]];

const otherThan = (value: unknown, roll: () => number): unknown => {
  if (typeof value === 'number') return value + 1 + Math.floor(roll() * 9);
  if (typeof value === 'boolean') return roll() < 0.5 ? !value : String(value);
  const text = String(value);
  const cut = Math.floor(roll() * (text.length + 1));
  const ways = [
    `${text.slice(0, cut)}x${text.slice(cut)}`,
    text.slice(1),
    `${text} `,
    null,
    [text],
    text.toUpperCase(),
  ];
  const other = ways[Math.floor(roll() * ways.length)];
  return other === text ? `${text}.` : other;
};

const changed = (value: unknown, [key, ...rest]: readonly string[], roll: () => number): unknown => {
  if (key === undefined) return otherThan(value, roll);
  const copy: Record<string, unknown> = Array.isArray(value) ? ([...value] as never) : { ...(value as object) };
  if (rest.length === 0 && roll() < 0.2 && !Array.isArray(value)) delete copy[key];
  else copy[key] = changed(copy[key], rest, roll);
  return copy;
};

const places = leaves(bound);
const variants = Array.from({ length: 1_000 }, (_, n) => {
  const roll = dice(n + 1);
  return changed(bound, places[n % places.length] ?? [], roll) as Bound;
});

describe('of a thousand requests that differ from the approved one in a single field', () => {
  test('none has its digest', () => {
    const own = approvalDigest(bound).toString('hex');
    expect(places.length).toBeGreaterThan(20);
    expect(variants.filter((each) => approvalDigest(each).toString('hex') === own)).toEqual([]);
  });

  test('none is let through, and the approved one is', async () => {
    const row = {
      id: 'apr_1',
      status: 'approved',
      digest: approvalDigest(bound),
      composed_by: '1',
      reason: null,
    } as ApprovalRow;
    const attempt = async (composed: Bound) => {
      const voided: string[] = [];
      const clearance = createClearance({
        planner: {
          plan: async () => [{ request }],
          compose: async () => ({ ...composed, digest: approvalDigest(composed), composedBy: '1' }),
          readingOf: () => {
            throw new Error('nothing is read here');
          },
        },
        records: {
          ask: async () => 'apr_2',
          ofStep: async () => new Map(),
          hasWritten: async () => false,
          cancel: async () => {},
          invalidate: async (_, reason) => void voided.push(reason),
        },
      });
      const step = { id: 'mail.send_email', sends: () => true } as unknown as CatalogueStep;
      const context = { account: { id: 'acc_1' }, now: new Date() } as never;
      const decided = new Map([[0, row]]);
      const sender = {
        workspaceId: 'ws',
        runId: 'run',
        step,
        input: {},
        context,
        ordinalsFrom: 0,
        ordinalsTo: 1_000,
        resumed: true,
        maySend: false,
        decided,
      };
      const passed = await clearance
        .beforeStep(sender, async () => {})
        .then(
          () => true,
          () => false,
        );
      return { passed, voided: voided.length };
    };
    expect(await attempt(bound)).toEqual({ passed: true, voided: 0 });
    const ends = await Promise.all(variants.map(attempt));
    expect(ends.filter(({ passed }) => passed)).toEqual([]);
    expect(ends.filter(({ voided }) => voided === 1)).toHaveLength(1_000);
  });
});

test('the order of fields does not matter, and long content counts by its digest', () => {
  const turned = Object.fromEntries(Object.entries(view).toReversed()) as SendView;
  expect(approvalDigest({ ...bound, view: turned })).toEqual(approvalDigest(bound));
  expect(JSON.stringify(bound.requests)).not.toContain(Buffer.from('twelve').toString('base64'));
});

test('content counts by its size and SHA-256, a date by its moment, wherever they stand; all else as it is', () => {
  const bytes = new TextEncoder().encode('twelve');
  const brief = { bytes: 6, sha256: 'd1a749ad879b6c07e1f356b260ba81f9cb5b4376072280c9994a5c125165b701' };
  const body = {
    zebra: [bytes, { ContentBytes: 'dHdlbHZl', asContentBytes: 'dHdlbHZl', contentBytesOf: 'dHdlbHZl' }, null, 3],
    apple: new Date('2026-07-23T12:00:00Z'),
    left: undefined,
    '': 'nameless',
  };
  const shown = shownRequest({ request: { method: 'POST', path: '/x', body } as unknown as UpstreamRequest });
  const list = [brief, { ContentBytes: brief, asContentBytes: 'dHdlbHZl', contentBytesOf: 'dHdlbHZl' }, null, 3];
  expect(shown.body).toEqual({ '': 'nameless', apple: '2026-07-23T12:00:00.000Z', zebra: list });
  expect(Object.keys(shown.body as object)).toEqual(['', 'apple', 'zebra']);
});
