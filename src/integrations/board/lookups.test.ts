import { expect, test } from 'vitest';
import { Fault, type Upstream } from '#kit';
import { boardIdOf, cardIdOf, listIdOf } from './lookups.ts';
import { admitsNamed } from './triggers/config.ts';

test('a list is found by its name in any letter case and script, however its accents are written', async () => {
  const names = ['Café', 'İş listesi', '已完成 ✅'];
  const lists = names.map((name, at) => ({ id: `list ${at}`, name }));
  const upstream = { get: async () => lists } as unknown as Upstream;
  const find = (name: string) => listIdOf({ upstream }, name, 'b'.repeat(24));

  expect(await find('CAFE\u0301')).toBe('list 0');
  expect(await find('iş listesi')).toBe('list 1');
  expect(await find('已完成 ✅')).toBe('list 2');
  expect(admitsNamed(['cafe\u0301'], [{ id: '1', name: 'Café' }])).toBe(true);
  expect(admitsNamed(['cafe'], [{ id: '1', name: 'Café' }])).toBe(false);
});

test('whoever looked up too many boards by name is told that an id needs no look-up', async () => {
  const spent = new Fault('rate_limited', 'Wait.', { retryAfterMs: 600_000, details: { own: true } });
  const upstream = { get: () => Promise.reject(spent) } as unknown as Upstream;

  await expect(boardIdOf({ upstream }, 'Launch plans')).rejects.toMatchObject({
    code: 'rate_limited',
    message: expect.stringMatching(/^Wait\. .*by its id/),
    retryAfterMs: 600_000,
    details: { own: true },
  });
  expect(await boardIdOf({ upstream }, 'b'.repeat(24))).toBe('b'.repeat(24));
});

test('a web address that leads nowhere is refused by the field that names it, other failures are told as they are', async () => {
  const failing = (fault: Fault) => ({ upstream: { get: () => Promise.reject(fault) } as unknown as Upstream });
  const nowhere = failing(new Fault('not_found', 'The service refused.'));
  const said = (field: string, what: string) => {
    const message = expect.stringMatching(
      new RegExp(`^There is no ${what} "https://trello.*; .* lists those there are`),
    );
    return { code: 'invalid_input', message, details: { fields: [{ field, message }] } };
  };

  const board = boardIdOf(nowhere, 'https://trello.com/b/AbCdEfGh/plans', 'config.boards[0]');
  await expect(board).rejects.toMatchObject(said('config.boards[0]', 'board'));
  const card = cardIdOf(nowhere, 'https://trello.com/c/AbCdEfGh');
  await expect(card).rejects.toMatchObject(said('cardId', 'card'));
  const away = new Fault('upstream_unavailable', 'Later.');
  await expect(boardIdOf(failing(away), 'https://trello.com/b/AbCdEfGh')).rejects.toBe(away);
});
