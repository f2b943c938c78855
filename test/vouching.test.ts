import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, bootstrapKey, type Tenant, type Workbench, workbench } from './workbench.ts';

const victim = 'owner@switchboard.local';
const password = 'a password of my own choosing';

let bench: Workbench;
let mine: Tenant;
let theirs: string;
beforeAll(async () => {
  bench = await workbench();
  theirs = (await bench.owned('GET', '/v1/workspace')).body.id;
  mine = await bench.newTenant('Mine');
});
afterAll(() => bench[Symbol.asyncDispose]());

const signInByLink = async (key: string, personId: string): Promise<string> => {
  const { body } = await bench.call('POST', `/v1/members/${personId}/sign-in-link`, { key });
  return bench.signIn(body.url);
};

const add = (key: string, email: string, role = 'viewer') =>
  bench.call('POST', '/v1/members', { key, body: { email, role } });

const switchTo = (cookie: string, workspaceId: string): Promise<Answer> =>
  bench.call('PATCH', '/v1/session', { cookie, body: { workspaceId } });

describe('an owner who makes a sign-in link vouches for the person in that workspace only', () => {
  let cookie: string;
  beforeAll(async () => {
    const { body } = await bench.call('GET', '/v1/members', { key: mine.key });
    cookie = await signInByLink(mine.key, body.items.find((each: { email: string }) => each.email === victim).id);
  });

  test("it does not lead into the person's other workspaces, which are not even named", async () => {
    const [theirsNow, nobodys] = [await switchTo(cookie, theirs), await switchTo(cookie, 'ws_unknown')];
    expect([theirsNow.status, theirsNow.body.error.message]).toEqual([404, nobodys.body.error.message]);
    const { body } = await bench.call('GET', '/v1/workspaces', { cookie });
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual([mine.workspaceId]);
  });

  test('a workspace made in such a session can be entered by it', async () => {
    const made = await bench.call('POST', '/v1/workspaces', { cookie, body: { name: 'Another' } });
    expect((await switchTo(cookie, made.body.id)).status).toBe(200);
    expect((await switchTo(cookie, mine.workspaceId)).status).toBe(200);
  });

  test('a password chosen in such a session opens no more than the session, and ends none that the person has elsewhere', async () => {
    const own = await bench.signInAsOwner();
    expect((await bench.call('PUT', '/v1/session/password', { cookie, body: { password } })).status).toBe(204);
    expect((await bench.call('GET', '/v1/session', { cookie: own })).status).toBe(200);
    const signedIn = await bench.call('POST', '/v1/session', { body: { email: victim, password } });
    expect(signedIn.body.workspace.id).not.toBe(theirs);
    const again = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    expect((await switchTo(again, theirs)).status).toBe(404);
  });

  test('the person, signed in from the terminal, reaches everything and takes the password back', async () => {
    const [own, another] = [await bench.signInAsOwner(), await bench.signInAsOwner()];
    expect((await switchTo(own, mine.workspaceId)).status).toBe(200);
    expect((await bench.call('GET', '/v1/session', { cookie: another })).body.workspace.id).toBe(theirs);
    const chosen = await bench.call('PUT', '/v1/session/password', { cookie: own, body: { password: `${password}!` } });
    expect(chosen.status).toBe(204);
    expect((await bench.call('GET', '/v1/session', { cookie })).status).toBe(401);
    const fresh = await signInByLink(
      mine.key,
      (await bench.call('GET', '/v1/session', { cookie: own })).body.member.id,
    );
    const stolen = await bench.call('PUT', '/v1/session/password', { cookie: fresh, body: { password } });
    expect(stolen.status).toBe(403);
  });
});

test('who is signed in from the terminal reaches no workspace of others', async () => {
  const { body: person } = await add(mine.key, 'others@example.test', 'owner');
  const cookie = await signInByLink(mine.key, person.id);
  const { body: made } = await bench.call('POST', '/v1/workspaces', { cookie, body: { name: 'Of others' } });
  const own = await bench.signInAsOwner();
  expect((await switchTo(own, made.id)).status).toBe(404);
  expect((await bench.call('GET', '/v1/session', { cookie: own })).body.workspace.id).toBe(theirs);
});

test('a person prepared in one workspace brings nobody else into the next that adds them', async () => {
  const prepared = await add(mine.key, 'later@example.test');
  const cookie = await signInByLink(mine.key, prepared.body.id);
  await bench.call('PUT', '/v1/session/password', { cookie, body: { password } });

  await add(bootstrapKey, 'later@example.test', 'owner');

  expect((await switchTo(cookie, theirs)).status).toBe(404);
  const signedIn = await bench.call('POST', '/v1/session', { body: { email: 'later@example.test', password } });
  expect(signedIn.body.workspace.id).toBe(mine.workspaceId);
  await bench.call('DELETE', `/v1/members/${prepared.body.id}`, { key: mine.key });
  const after = await bench.call('POST', '/v1/session', { body: { email: 'later@example.test', password } });
  expect(after.status).toBe(401);
});

test('what one workspace calls a person is not shown in the next that adds them', async () => {
  const named = (key: string, name?: string) =>
    bench.call('POST', '/v1/members', { key, body: { email: 'called@example.test', name, role: 'approver' } });
  const { body: theirs } = await named(bootstrapKey, 'Of the bootstrap workspace');
  const { body: ours } = await named(mine.key, 'Chosen here');

  expect([theirs.name, ours.name]).toEqual(['Of the bootstrap workspace', 'Chosen here']);
  const cookie = await signInByLink(mine.key, ours.id);
  expect((await bench.call('GET', '/v1/session', { cookie })).body.member.name).toBe('Chosen here');
  await bench.call('POST', '/v1/workspaces', { cookie, body: { name: 'Made by them' } });
  const { body: audit } = await bench.call('GET', '/v1/audit', { key: mine.key });
  expect(JSON.stringify(audit)).not.toContain('Of the bootstrap workspace');
  await bench.call('DELETE', `/v1/members/${ours.id}`, { key: mine.key });
  expect((await named(mine.key)).body.name).toBe('called@example.test');
});

test('making a link and signing in by it are on the record', async () => {
  const { body } = await add(bootstrapKey, 'recorded@example.test');
  await signInByLink(bootstrapKey, body.id);
  const { body: audit } = await bench.owned('GET', '/v1/audit');
  const found = audit.items.filter(({ target }: { target: string }) => target === body.id);
  expect(found.map(({ action, actor }: { action: string; actor: { kind: string } }) => [action, actor.kind])).toEqual([
    ['session.started', 'member'],
    ['member.sign_in_link_made', 'key'],
    ['member.added', 'key'],
  ]);
});
