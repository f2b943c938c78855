import { expect, test } from 'vitest';
import { createUnrepeated } from './unrepeated.ts';

const said = (authorization: string | undefined, text: string) =>
  createUnrepeated(authorization).body(Buffer.from(text)).toString();

test.each([
  ['a bearer token', 'Bearer eyJ0.abcdefgh-12345678_=='],
  ['a token beside a key', 'OAuth oauth_consumer_key="0123456789abcdef0123", oauth_token="abcdefgh%2F12345678"'],
])('%s is taken out of an answer that repeats it, each time, and nothing else', (_, authorization) => {
  const answer = (header: string) =>
    `{"ü":"${header}","again":"${decodeURIComponent(header)}","key":"0123456789abcdef0123"}`;
  const secret = /(eyJ0[^"]+|abcdefgh%2F12345678)/.exec(authorization)?.[1] ?? '';
  const expected = answer(authorization)
    .replaceAll(secret, '[secret]')
    .replaceAll(decodeURIComponent(secret), '[secret]');
  expect(expected.match(/\[secret\]/g)).toHaveLength(2);
  expect(said(authorization, answer(authorization))).toBe(expected);
});

test('an answer that repeats nothing stays the very same bytes', () => {
  const body = Buffer.from('{"message":"There is no such card."}');
  expect(createUnrepeated('Bearer abcdefgh12345678').body(body)).toBe(body);
  expect(createUnrepeated(undefined).body(body)).toBe(body);
  expect(said('Bearer card', body.toString())).toContain('card');
  expect(said('Bearer 100%-abcdefgh12345678', 'is 100%-abcdefgh12345678 bad?')).toBe('is [secret] bad?');
});

test('it is taken out of a file that comes in pieces, wherever these are cut, and no other byte changes', async () => {
  const secret = 'abcdefgh%2F12345678';
  const file = Buffer.from(`\0abc${secret}abcdefgh%2F1234567${secret}|abcdefgh/12345678|abcdefgh%2F`);
  const expected = file.toString().replaceAll(secret, '[secret]').replace('abcdefgh/12345678', '[secret]');
  for (let size = 1; size <= file.length; size += 1) {
    const taken: Buffer[] = [];
    const { into, end } = createUnrepeated(`OAuth oauth_token="${secret}"`).stream(async (piece) => {
      taken.push(Buffer.from(piece));
    });
    for (let at = 0; at < file.length; at += size) await into(file.subarray(at, at + size));
    await end();
    expect(Buffer.concat(taken).toString()).toBe(expected);
  }
});
