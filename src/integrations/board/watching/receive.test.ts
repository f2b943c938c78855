import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Notification, Proof } from '#kit';
import { madeAt } from '../shapes.ts';
import label from '../triggers/label-added-to-card.sample.json' with { type: 'json' };
import sample from '../triggers/new-comment.sample.json' with { type: 'json' };
import { newComment } from '../triggers/new-comment.ts';
import { receive } from './receive.ts';

const url = 'https://switchboard.example/hooks/board/Zm9v?x=%C3%BC&y=a%20b';
const secret = 'b1946ac92492d2347c6235b4d2611184';
const proof: Proof = { url, signingSecret: secret, isOurSecret: () => false };

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const sign = (bytes: Uint8Array, over = url, key = secret): Buffer =>
  createHmac('sha1', key).update(bytes).update(over).digest();

const body = bytesOf(JSON.stringify({ model: {}, action: { ...sample, display: {}, limits: null }, webhook: {} }));
const delivery = (
  bytes: Uint8Array,
  signature: string | undefined,
  headers: Record<string, string> = {},
): Notification => ({
  method: 'POST',
  headers: { ...(signature === undefined ? {} : { 'x-trello-webhook': signature }), ...headers },
  query: new URLSearchParams(),
  bytes,
});
const refused = { answer: { status: 401 } };

test('a signed notification is believed', () => {
  const received = receive(delivery(body, sign(body).toString('base64')), proof);
  expect(received).toMatchObject({ occurrences: [{ key: sample.id, order: sample.id, body: sample }], hints: [] });
});

test('what cannot be stored is told as what cannot be shown', () => {
  const odd = bytesOf(JSON.stringify({ action: sample }).replace(/"name":"/, '"name":"\\u0000\\ud800'));
  const received = receive(delivery(odd, sign(odd).toString('base64')), proof);
  const told = JSON.stringify(received);
  expect([told.includes('\ufffd\ufffd'), told.includes('\\u0000'), told.includes('\\ud800')]).toEqual([
    true,
    false,
    false,
  ]);
});

test('a copied comment, which keeps the date of its original, happened when it was copied', () => {
  const copied = { ...sample, type: 'copyCommentCard', date: '2020-01-01T00:00:00.000Z' };
  const bytes = bytesOf(JSON.stringify({ action: copied }));
  const received = receive(delivery(bytes, sign(bytes).toString('base64')), proof);
  expect(received).toMatchObject({ occurrences: [{ at: madeAt(sample.id) }] });
});

test('what nobody is said to have done happened all the same', () => {
  const { memberCreator: _, idMemberCreator: _id, ...rest } = sample;
  for (const memberCreator of [null, {}, { id: 'a', username: null, fullName: null }]) {
    const bytes = bytesOf(JSON.stringify({ action: { ...rest, idMemberCreator: null, memberCreator } }));
    const received = receive(delivery(bytes, sign(bytes).toString('base64')), proof);
    const told =
      'occurrences' in received ? newComment.delivery.safeParse(received.occurrences[0]?.body).success : false;
    expect(told).toBe(true);
  }
});

test('what was made through us carries a mark', () => {
  const ours = delivery(body, sign(body).toString('base64'), { 'x-trello-client-identifier': 'switchboard' });
  expect(receive(ours, proof)).toMatchObject({ occurrences: [{ body: { viaSwitchboard: true } }] });
});

test('a question whether somebody is there is answered at once', () => {
  for (const method of ['HEAD', 'GET'] as const) {
    expect(receive({ ...delivery(bytesOf(''), undefined), method }, proof)).toEqual({ answer: { status: 200 } });
  }
});

describe('a forgery is refused', () => {
  const right = sign(body);
  test.each([
    ['no signature', undefined],
    ['an empty one', ''],
    ['one by another secret', sign(body, url, 'other').toString('base64')],
    ['one by the token instead of the secret', sign(body, url, 'ATTA0123').toString('base64')],
    ['one over another address', sign(body, url.replace('Zm9v', 'Zm9w')).toString('base64')],
    ['one over the address without its query', sign(body, url.split('?')[0]).toString('base64')],
    ['one over the address as it would be decoded', sign(body, decodeURI(url)).toString('base64')],
    ['one in hexadecimal', right.toString('hex')],
    ['one in the alphabet for addresses', right.toString('base64url')],
    ['one without its padding', right.toString('base64').slice(0, -1)],
    ['one with blanks around', ` ${right.toString('base64')} `],
    ['one cut short', right.subarray(0, 19).toString('base64')],
    ['one that goes on', `${right.toString('base64')}AAAA`],
    ['one by SHA-256', createHmac('sha256', secret).update(body).update(url).digest('base64')],
    ['one twice, as two headers become one', `${right.toString('base64')}, ${right.toString('base64')}`],
  ])('%s', (_, signature) => {
    expect(receive(delivery(body, signature), proof)).toEqual(refused);
  });

  test('whatever is shown instead of the signature', () => {
    fc.assert(
      fc.property(fc.oneof(fc.base64String(), fc.string()), (signature) => {
        fc.pre(signature !== right.toString('base64'));
        expect(receive(delivery(body, signature), proof)).toEqual(refused);
      }),
    );
  });

  test('whichever bit of signature, body or address differs', () => {
    const flipped = (bytes: Uint8Array, bit: number): Uint8Array => {
      const copy = Uint8Array.from(bytes);
      const at = Math.floor(bit / 8) % copy.length;
      copy[at] = (copy[at] ?? 0) ^ (1 << (bit % 8));
      return copy;
    };
    fc.assert(
      fc.property(fc.nat(), (bit) => {
        const signature = right.toString('base64');
        const other = Buffer.from(flipped(right, bit)).toString('base64');
        expect(receive(delivery(body, other), proof)).toEqual(refused);
        expect(receive(delivery(flipped(body, bit), signature), proof)).toEqual(refused);
        const elsewhere = Buffer.from(flipped(bytesOf(url), bit)).toString('latin1');
        expect(receive(delivery(body, signature), { ...proof, url: elsewhere })).toEqual(refused);
      }),
    );
  });

  test('another spelling of the same bytes', () => {
    // The last character of 20 bytes in base64 leaves two bits unused.
    const spelled = right.toString('base64');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    const last = alphabet.indexOf(spelled.at(-2) ?? '');
    const twin = `${spelled.slice(0, -2)}${alphabet[last + 1]}=`;
    expect(Buffer.from(twin, 'base64').equals(right)).toBe(true);
    expect(receive(delivery(body, twin), proof)).toEqual(refused);
  });
});

test('signed nonsense is refused as such', () => {
  const signed = (bytes: Uint8Array) => receive(delivery(bytes, sign(bytes).toString('base64')), proof);
  const broken = { action: { ...sample, id: '../../etc' } };
  for (const text of ['', 'null', '[]', '{"action":{}}', '{', JSON.stringify(broken)]) {
    expect(signed(bytesOf(text)), text).toEqual({ answer: { status: 400 } });
  }
  expect(signed(Uint8Array.of(0x7b, 0xff, 0x7d))).toEqual({ answer: { status: 400 } });
});

test('without a secret nothing is believed: the action is only a hint', () => {
  const open = { ...proof, signingSecret: undefined };
  const hint = { occurrences: [], hints: [sample.id], notices: [] };
  expect(receive(delivery(body, undefined), open)).toEqual(hint);
  expect(receive(delivery(body, 'whatever', { 'x-trello-client-identifier': 'switchboard' }), open)).toEqual(hint);
  expect(receive(delivery(bytesOf('{"action":{"id":"x"}}'), undefined), open)).toEqual({ answer: { status: 400 } });
});

test('without a secret a change of labels, which cannot be asked for, means to look at the board now', () => {
  const text = JSON.stringify({ action: label });
  const received = receive(delivery(bytesOf(text), undefined), { ...proof, signingSecret: undefined });
  expect(received).toEqual({ occurrences: [], hints: [], notices: ['missed'] });
});

test('the making of a board is known by the board, so that it is one by whatever way', () => {
  const made = { ...sample, type: 'createBoard' };
  const bytes = bytesOf(JSON.stringify({ action: made }));
  const received = receive(delivery(bytes, sign(bytes).toString('base64')), proof);
  const key = `board ${sample.data.board.id}`;
  expect(received).toMatchObject({ occurrences: [{ key, upstreamId: sample.id }] });
});
