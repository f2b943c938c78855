import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Registration } from '#kit';
import { path } from '#kit';
import { type Workbench, workbench } from '#test';
import { endpoint, type Watcher, watcher } from './watcher.fixture.ts';

let bench: Workbench;
let ada: Watcher;
let door: Awaited<ReturnType<typeof endpoint>>;

beforeAll(async () => {
  bench = await workbench({ mail: true });
});
afterAll(() => bench[Symbol.asyncDispose]());
beforeEach(async () => {
  bench.mail.reset();
  ada = watcher(bench.mail);
  door = await endpoint((notification, proof) =>
    ada.watching.push.receive(notification, { url: '', signingSecret: undefined, ...proof }),
  );
});
afterEach(() => door[Symbol.asyncDispose]());

const me = 'mailbox/me';
const day = 86_400_000;
const register = (callback = door.callback, now = new Date()) =>
  ada.watching.push.register(me, callback, ada.context(now));
const check = (known: Registration, callback = door.callback, now = new Date()) =>
  ada.watching.push.check(me, known, callback, ada.context(now));
const registered = async () => (await ada.watching.push.list(ada.context())).map(({ url }) => url);
const deliver = (subject: string, more: object = {}) =>
  ada.order('deliver', { to: 'ada@sandbox.test', from: 'luis@contoso.example', subject, body: 'x', ...more });
const until = async <T>(look: () => T | false | undefined): Promise<T> => {
  for (let tries = 0; tries < 1_000; tries += 1) {
    const seen = look();
    if (seen !== undefined && seen !== false) return seen;
    await sleep(5);
  }
  throw new Error('It did not happen.');
};
const leftDays = ({ expiresAt }: Registration, now = Date.now()) => ((expiresAt?.getTime() ?? 0) - now) / day;

describe('registering', () => {
  test('answers the handshake, lives for almost seven days and tells of new mail by its immutable id', async () => {
    const known = await register();
    expect(leftDays(known)).toBeGreaterThan(6.9);
    expect(leftDays(known)).toBeLessThan(7);

    const { immutableId } = await deliver('Hello');
    await until(() => door.hints().length > 0);
    expect(door.hints()).toEqual([immutableId]);
    expect(await ada.read(immutableId ?? '')).toMatchObject({ body: { subject: 'Hello' } });
  });

  test('is offered for the own mailbox alone, and only with a scope that reads', () => {
    const { offers } = ada.watching.push;
    expect(offers(me, ada.context())).toBe(true);
    expect(offers('mailbox/team@sandbox.test', ada.context())).toBe(false);
    const writer = watcher(bench.mail, { granted: ['Mail.ReadWrite'] });
    expect(offers(me, writer.context())).toBe(false);
  });

  test('takes the life that the service grants', async () => {
    const shorter = { ...ada.upstream };
    shorter.request = async (request) => {
      const { expirationDateTime } = request.body as { expirationDateTime: string };
      if (Date.parse(expirationDateTime) < Date.now() + 4_230 * 60_000) return ada.upstream.request(request);
      const message = 'Subscription expiration can only be 4,230 minutes in the future.';
      return { status: 400, headers: {}, body: { error: { code: 'InvalidRequest', message } } };
    };
    const known = await ada.watching.push.register(me, door.callback, { ...ada.context(), upstream: shorter });
    expect(leftDays(known)).toBeGreaterThan(2.9);
    expect(leftDays(known)).toBeLessThan(2.94);
  });

  test.each([30 * day, -30 * day, 3_600_000])('works while our clock is off by %s ms', async (off) => {
    const known = await register(door.callback, new Date(Date.now() + off));
    expect(leftDays(known)).toBeGreaterThan(3);
    expect(await check(known, door.callback, new Date(Date.now() + off))).toMatchObject({ state: 'healthy' });
  });

  test('again, after its answer was lost, leaves one that works', async () => {
    const old = await register({ ...door.callback, secret: 'an-older-secret' });
    const known = await register();
    expect(known.id).not.toBe(old.id);
    expect(await registered()).toEqual([door.callback.url]);
    const { immutableId } = await deliver('Hello');
    await until(() => door.hints().includes(immutableId ?? ''));
  });

  test('a mailbox that is connected several times leaves every registration alone', async () => {
    const open = () =>
      endpoint((notification, proof) =>
        ada.watching.push.receive(notification, { url: '', signingSecret: undefined, ...proof }),
      );
    await using second = await open();
    await using third = await open();
    await using fourth = await open();
    const doors = [door, second, third, fourth];
    for (const { callback } of doors) await register(callback);
    expect((await registered()).toSorted()).toEqual(doors.map(({ callback }) => callback.url).toSorted());
    const { immutableId = '' } = await deliver('For all');
    await until(() => doors.every((each) => each.hints().includes(immutableId)));
  });

  test('tells why it was refused', async () => {
    const nowhere = { url: 'http://127.0.0.1:9/hooks/1', secret: 'x' };
    await expect(register(nowhere)).rejects.toMatchObject({
      code: 'upstream_rejected',
      message: expect.stringContaining('could not be reached'),
    });
  });
});

describe('checking', () => {
  test('renews', async () => {
    const known = await register();
    const later = new Date(Date.now() + 5 * day);
    bench.mail.control.clock.advance(5 * day);
    ada = watcher(bench.mail);
    const checked = await check(known, door.callback, later);
    expect(checked).toMatchObject({ state: 'healthy', registration: { id: known.id } });
    if (checked.state === 'healthy') expect(leftDays(checked.registration, later.getTime())).toBeGreaterThan(6.9);
  });

  test('says when it is gone: expired, or removed by the service', async () => {
    const known = await register();
    bench.mail.control.clock.advance(8 * day);
    ada = watcher(bench.mail);
    expect(await check(known, door.callback, new Date(Date.now() + 8 * day))).toMatchObject({ state: 'gone' });
    expect(await check({ id: '00000000-0000-0000-0000-000000000000' })).toMatchObject({ state: 'gone' });
  });

  test('ends one that leads to an older address of ours, so that notices of its lifecycle move too', async () => {
    const old = { ...door.callback, url: door.callback.url.replace('/hooks/1', '/old') };
    const known = await register(old);
    expect(await check(known)).toMatchObject({ state: 'gone' });
    await register();
    expect(await registered()).toEqual([door.callback.url]);
    await ada.order('lifecycle', { event: 'missed' });
    await until(() => door.notices().includes('missed'));
  });
});

test('the lifecycle is told as notices', async () => {
  await register();
  await ada.order('lifecycle', { event: 'reauthorizationRequired' });
  await until(() => door.notices().includes('renew'));
  await ada.order('lifecycle', { event: 'subscriptionRemoved' });
  await until(() => door.notices().includes('removed'));
  expect(await registered()).toEqual([]);
});

test('drafts and sent mail are hinted at by the service, and are nothing to tell about', async () => {
  await register();
  const draft = await ada.act('POST', path`/messages`, {
    subject: 'Draft',
    toRecipients: [{ emailAddress: { address: 'ben@sandbox.test' } }],
  });
  const { id } = draft.body as { id: string };
  await until(() => door.hints().includes(id));
  expect(await ada.read(id)).toBeUndefined();
  await ada.act('POST', path`/messages/${id}/send`);
  bench.mail.world.settle();
  expect(await ada.read(id)).toBeUndefined();
  expect(await ada.read('AAkALgAAAAAAHYQDEapmEc2byACqAC-EWg0Anonsense')).toBeUndefined();
});

test('removing twice is no mistake', async () => {
  const known = await register();
  await ada.watching.push.remove(known, ada.context());
  await ada.watching.push.remove(known, ada.context());
  expect(await registered()).toEqual([]);
});
