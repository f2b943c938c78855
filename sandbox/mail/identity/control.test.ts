import { expect, test } from 'vitest';
import { createMail } from '../server.ts';

const bench = () => {
  const { app, world } = createMail();
  const control = async (path: string, body?: unknown) => {
    const answer = await app.request(
      `/_control/${path}`,
      body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) },
    );
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const authorize = (clientId = 'switchboard-sandbox', redirect = 'http://127.0.0.1:4600/callback') =>
    app.request(
      `/common/oauth2/v2.0/authorize?${new URLSearchParams({ client_id: clientId, response_type: 'code', scope: 'openid Mail.Read', redirect_uri: redirect })}`,
      {},
      { incoming: {} },
    );
  return { world, control, authorize };
};

test('consent answers at once as somebody, or asks again', async () => {
  const { control, authorize } = bench();
  expect((await authorize()).status).toBe(200);
  expect((await control('consent', { mode: 'auto', as: 'ada@sandbox.test' })).status).toBe(200);
  expect((await authorize()).headers.get('location')).toContain('code=');
  await control('consent', { mode: 'ask' });
  expect((await authorize()).status).toBe(200);
});

test.each([
  [{ mode: 'auto', as: 'nobody@sandbox.test' }, "Nobody who could sign in is 'nobody@sandbox.test'."],
  [{ mode: 'auto', as: 'team@sandbox.test' }, "Nobody who could sign in is 'team@sandbox.test'."],
  [{ mode: 'auto' }, 'as must be given.'],
  [{ mode: 'maybe' }, 'mode must be ask or auto.'],
])('consent %o is refused with what is wrong', async (body, error) => {
  const { control } = bench();
  expect(await control('consent', body)).toMatchObject({ status: 400, body: { error } });
});

test('another app is registered with its own addresses', async () => {
  const { control, authorize } = bench();
  await control('consent', { mode: 'auto', as: 'ada@sandbox.test' });
  expect((await authorize('other', 'https://app.example/back')).status).toBe(400);
  const made = await control('apps', { clientId: 'other', redirectUris: ['https://app.example/back'] });
  expect(made.status).toBe(201);
  expect((await authorize('other', 'https://app.example/back')).headers.get('location')).toContain(
    'https://app.example/back?code=',
  );
  expect((await authorize('other')).status).toBe(400);
  expect((await control('apps')).body.items).toHaveLength(2);
  expect((await control('apps', { clientId: '' })).status).toBe(400);
});

test('tokens expire or are revoked for one person or all', async () => {
  const { world, control } = bench();
  const token = (user: string) => {
    const person = world.person(user);
    if (person === undefined) throw new Error(user);
    return world.tokens.tokenFor({
      userId: person.id,
      username: person.address,
      displayName: '',
      tenantId: '',
      personal: false,
    });
  };
  const [ada, ben] = [token('ada@sandbox.test'), token('ben@sandbox.test')];
  expect((await control('tokens', { expire: true, user: 'ada@sandbox.test' })).body).toMatchObject({
    expired: 1,
    revoked: 0,
  });
  expect(world.tokens.check(ada)).toBe('expired');
  expect(world.tokens.check(ben)).toBeTypeOf('object');
  await control('tokens', { revoke: true });
  expect(world.tokens.check(ben)).toBeUndefined();
});
