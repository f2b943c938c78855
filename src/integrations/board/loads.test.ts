import { expect, test } from 'vitest';
import type { Path } from '#kit';
import { loads } from './loads.ts';

const evil = 'https://evil.example/?q=secret';
const loaded = (path: string, given: object) => [
  loads({ path: path as Path, body: given }),
  loads({ path: path as Path, query: given as Record<string, string> }),
];

test.each([
  ['a link that is attached', '/1/cards/x/attachments', { url: evil }],
  ['one whose name is written otherwise', '/1/cards/x/attachments', { URL: evil }],
  ['one without a scheme', '/1/cards/x/attachments', { url: '//evil.example/secret' }],
  ['several', '/1/cards/x/attachments', { url: [evil] }],
  ['what a card is made of', '/1/cards', { idList: 'y', urlSource: evil }],
  ['a cover', '/1/cards/x', { cover: { url: evil } }],
  ['a cover as a parameter', '/1/cards/x', { 'cover/url': evil }],
  ['a cover as text', '/1/cards/x', { cover: `{"url":"${evil}"}` }],
  ['a cover told as its value', '/1/cards/x/cover', { value: { url: evil } }],
  ['what a file is said to come from', '/1/cards', { fileSource: evil }],
  ['a sticker', '/1/cards/x/stickers', { image: evil }],
  ['a card that is called like it', '/1/cards', { name: evil }],
  ['a card that is called so afterwards', '/1/cards/x/name/', { value: ` ${evil}` }],
  ['a picture in a description', '/1/cards/x', { desc: `Nice: ![it](${evil})` }],
  ['a picture in a comment', '/1/cards/x/actions/comments', { text: `https://trello.com/![](${evil})` }],
])('%s is loaded', (_, path, given) => {
  for (const found of loaded(path, given)) expect(JSON.stringify(found)).toContain('evil.example');
});

test.each([
  ['a link in a text', '/1/cards/x', { desc: `See ${evil}` }],
  ['a link beside a title', '/1/cards', { name: `Read ${evil}` }],
  ['what the service shows of itself', '/1/cards/x/attachments', { url: 'https://trello.com/c/AbCdEf12' }],
  ['a colour as a cover', '/1/cards/x', { cover: { color: 'pink', idAttachment: '5f0000000000000000000001' } }],
  ['what a copy keeps', '/1/cards', { idCardSource: 'x', keepFromSource: 'attachments,due', image: 'taco-cool' }],
  ['a card whose short name reads like one', '/1/cards/aUrLcover', { name: 'Bread', desc: 'x' }],
])('%s is not', (_, path, given) => {
  expect(loaded(path, given)).toEqual([[], []]);
});

test('bytes are a file', () => {
  expect(loads({ path: '/1/cards/x/attachments' as Path, body: Buffer.from(evil) })).toEqual([]);
});
