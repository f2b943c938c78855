import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { eventScene, type Scene } from '../../test/event-scene.ts';

const signed = (secret: string, body: string, url: string): string =>
  createHmac('sha1', secret).update(body).update(url).digest('base64');

const watched = async (scene: Scene) => {
  const accountId = await scene.connectBoard();
  await scene.newTrigger(await scene.reader(accountId), 'board.new_card', accountId, {
    boards: [scene.board.launch().id],
  });
  const [webhook] = [...scene.board.world.webhooks.values()];
  if (webhook === undefined) throw new Error('nothing was registered');
  const { appSecret } = scene.board.credentials();
  const action = {
    id: `${Math.floor(Date.now() / 1_000 + 1).toString(16)}c0ffee0001c0ffee`,
    type: 'createCard',
    date: new Date(Date.now() + 1_000).toISOString(),
    idMemberCreator: scene.board.member('ben').id,
    memberCreator: { id: scene.board.member('ben').id, fullName: 'Ben', username: 'ben' },
    data: {
      board: { id: scene.board.launch().id, name: 'Launch', shortLink: 'abcdefgh' },
      list: { id: scene.board.lists()[0]?.id, name: 'To do' },
      card: { id: '65f0c0ffee65f0c0ffee0002', name: 'Milk', idShort: 1, shortLink: 'ijklmnop' },
    },
  };
  const body = JSON.stringify({ action, model: { id: scene.board.launch().id } });
  const post = (headers: Record<string, string>, text = body, url = webhook.callbackURL) =>
    fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: text });
  return { url: webhook.callbackURL, appSecret, body, action, post };
};

test('a board notification counts only with the signature of exactly its bytes and its address', async () => {
  await using scene = await eventScene();
  const { url, appSecret, body, action, post } = await watched(scene);
  const good = signed(appSecret, body, url);
  const altered = body.replace('Milk', 'Milk!');
  const forged = [
    post({}),
    post({ 'x-trello-webhook': '' }),
    post({ 'x-trello-webhook': 'AAAA' }),
    post({ 'x-trello-webhook': `${good}AAAA` }),
    post({ 'x-trello-webhook': signed('wrong', body, url) }),
    post({ 'x-trello-webhook': signed(appSecret, body, `${url}?`) }),
    post({ 'x-trello-webhook': signed(appSecret, body, '') }),
    post({ 'x-trello-webhook': good }, altered),
    post({ 'x-trello-webhook': createHmac('sha256', appSecret).update(body).update(url).digest('base64') }),
  ];
  expect((await Promise.all(forged)).map(({ status }) => status)).toEqual(forged.map(() => 401));
  expect(await scene.events()).toEqual([]);

  const answers = await Promise.all([1, 2, 3].map(() => post({ 'x-trello-webhook': good })));

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await scene.events()).toMatchObject([{ outcome: 'fired', upstreamId: action.id }]);
});

test('odd notifications get a plain refusal, and the address of nobody says gone', async () => {
  await using scene = await eventScene();
  const { url, appSecret, post } = await watched(scene);
  const sent = (text: string) => post({ 'x-trello-webhook': signed(appSecret, text, url) }, text);
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

  expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
  expect((await sent('{"action":')).status).toBe(400);
  expect((await sent('[]')).status).toBe(400);
  expect((await sent(deep)).status).toBe(400);
  expect((await sent(`{"a":"${'x'.repeat(1_100_000)}"}`)).status).toBe(413);
  expect((await fetch(`${url}x`, { method: 'POST', body: '{}' })).status).toBe(410);
  expect((await fetch(url.replace('/board/', '/mail/'), { method: 'POST', body: '{}' })).status).toBe(410);
  expect((await fetch(url, { method: 'PUT', body: '{}' })).status).toBe(405);
  expect(await scene.events()).toEqual([]);
});

test('without a secret a notification is only a hint: what it says is read back', async () => {
  await using scene = await eventScene();
  const accountId = await scene.connectBoard('ada', false);
  await scene.newTrigger(await scene.reader(accountId), 'board.new_card', accountId, {
    boards: [scene.board.launch().id],
  });
  const [webhook] = [...scene.board.world.webhooks.values()];
  const lie = {
    action: { id: '65f0c0ffee65f0c0ffee0001', type: 'createCard', date: new Date().toISOString(), data: {} },
  };
  await fetch(webhook?.callbackURL ?? '', { method: 'POST', body: JSON.stringify(lie) });

  const card = scene.board.newCard({ name: 'True', as: 'ben' });

  const fired = await scene.eventsUntil(1, { outcome: 'fired' });
  expect(fired).toHaveLength(1);
  const event = await scene.made('GET', `/v1/events/${fired[0].id}`);
  expect(event.data).toMatchObject({ card: { id: card.id, name: 'True' } });
});
