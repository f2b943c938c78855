import { expect, test } from 'vitest';
import { unrepeated } from './unrepeated.ts';

const said = (authorization: string | undefined, text: string) =>
  unrepeated(Buffer.from(text), authorization).toString();

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
  expect(unrepeated(body, 'Bearer abcdefgh12345678')).toBe(body);
  expect(unrepeated(body, undefined)).toBe(body);
  expect(said('Bearer card', body.toString())).toContain('card');
  expect(said('Bearer 100%-abcdefgh12345678', 'is 100%-abcdefgh12345678 bad?')).toBe('is [secret] bad?');
});
