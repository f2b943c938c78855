import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLog } from '#log';
import { openStore } from '#store';
import { callerFor, type Workbench, workbench } from '#test';
import { runStatement } from '../../test/run-statement.ts';
import { createBudgets } from './budgets.ts';
import { hashToken } from './tokens.ts';

let bench: Workbench;
beforeAll(async () => {
  bench = await workbench();
});
afterAll(() => bench[Symbol.asyncDispose]());

const password = 'correct horse battery staple';

/** A member with a password, signed in nowhere. */
const newMember = async (email: string, role = 'viewer') => {
  const { body } = await bench.owned('POST', '/v1/members', { email, role });
  const link = await bench.owned('POST', `/v1/members/${body.id}/sign-in-link`);
  const cookie = await bench.signIn(link.body.url);
  await bench.call('PUT', '/v1/session/password', { cookie, body: { password } });
  return { id: body.id as string, cookie };
};

describe('a sign-in link', () => {
  test('is not used up by looking at it, works once, then never again', async () => {
    const { body: member } = await bench.owned('POST', '/v1/members', { email: 'link@example.test', role: 'viewer' });
    const { body } = await bench.owned('POST', `/v1/members/${member.id}/sign-in-link`);
    const { pathname } = new URL(body.url);
    const another = new URL((await bench.owned('POST', `/v1/members/${member.id}/sign-in-link`)).body.url).pathname;
    for (let look = 0; look < 3; look++) expect((await bench.call('GET', pathname)).status).toBe(200);
    const used = await bench.call('POST', pathname);
    expect([used.status, used.headers.get('location')]).toEqual([303, '/']);
    expect((await bench.call('POST', pathname)).status).toBe(410);
    expect((await bench.call('GET', pathname)).status).toBe(410);
    expect((await bench.call('GET', another)).status).toBe(200);
    await runStatement(
      bench.connectionString,
      `select set_config('app.workspace', '*', false); update sign_in_links set expires_at = now()`,
    );
    expect((await bench.call('GET', another)).status).toBe(410);
    expect((await bench.call('POST', another)).status).toBe(410);
  });

  test('pressed twice at the same moment signs in once', async () => {
    const { body: member } = await bench.owned('POST', '/v1/members', { email: 'twice@example.test', role: 'viewer' });
    const { body } = await bench.owned('POST', `/v1/members/${member.id}/sign-in-link`);
    const { pathname } = new URL(body.url);
    const answers = await Promise.all(Array.from({ length: 8 }, () => bench.call('POST', pathname)));
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
  });

  test('posted from another site is refused and stays good', async () => {
    const { body: member } = await bench.owned('POST', '/v1/members', { email: 'csrf@example.test', role: 'viewer' });
    const { body } = await bench.owned('POST', `/v1/members/${member.id}/sign-in-link`);
    const { pathname } = new URL(body.url);
    expect((await bench.call('POST', pathname, { headers: { origin: 'https://evil.test' } })).status).toBe(403);
    expect((await bench.call('GET', pathname)).status).toBe(200);
  });

  test('sets a cookie that scripts and other sites cannot use', async () => {
    const { body: member } = await bench.owned('POST', '/v1/members', { email: 'cookie@example.test', role: 'viewer' });
    const { body } = await bench.owned('POST', `/v1/members/${member.id}/sign-in-link`);
    const { headers } = await bench.call('POST', new URL(body.url).pathname);
    expect(headers.getSetCookie()[0]).toMatch(/HttpOnly.*SameSite=Lax/);
  });
});

describe('a password', () => {
  test('signs in, and a wrong one or an unknown address are told the same', async () => {
    await newMember('pass@example.test');
    const signIn = (email: string, given: string) =>
      bench.call('POST', '/v1/session', { body: { email, password: given } });
    const good = await signIn('Pass@Example.test ', password);
    expect([good.status, good.body.member.email]).toEqual([200, 'pass@example.test']);
    const [wrong, unknown] = [await signIn('pass@example.test', 'wrong'), await signIn('nobody@example.test', 'wrong')];
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(wrong.body.error.message).toBe(unknown.body.error.message);
  });

  test('cannot be guessed quickly', async () => {
    await newMember('guess@example.test');
    const answers = [];
    for (let n = 0; n < 8; n++) {
      answers.push(
        await bench.call('POST', '/v1/session', { body: { email: 'guess@example.test', password: `guess ${n}` } }),
      );
    }
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(3);
    expect(refused[0]?.body.error.retryAfterMs).toBeGreaterThan(0);
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('that somebody guesses at elsewhere still signs in whoever knows it', async () => {
    await newMember('target@example.test');
    const behind = await bench.startProcess('api', { trustedProxies: ['127.0.0.1'] });
    const signIn = async (from: string, given: string) => {
      const body = { email: 'target@example.test', password: given };
      return (await callerFor(behind.origin)('POST', '/v1/session', { body, headers: { 'x-forwarded-for': from } }))
        .status;
    };
    const guesses = [];
    for (let n = 0; n < 8; n++) guesses.push(await signIn('198.51.100.7', `guess ${n}`));
    expect(guesses.slice(-3)).toEqual([429, 429, 429]);
    expect(await signIn('203.0.113.7', password)).toBe(200);
    // Many who guess together are slowed, too: of sixty tries, one in two seconds comes back, and five are left.
    const store = openStore({ connectionString: bench.connectionString, max: 5, log: silentLog });
    await store.system
      .updateTable('budgets')
      .set({ full_at: new Date(Date.now() + 110_000) })
      .where('name', '=', `sign-in as ${hashToken('target@example.test').toString('base64')}`)
      .execute();
    const others = await Promise.all(
      Array.from({ length: 10 }, (_, n) => signIn(`198.51.101.${n}`, `another guess ${n}`)),
    );
    expect([others.includes(401), others.includes(429)]).toEqual([true, true]);
    await store.close();
    await behind.stop();
  });

  test('is counted by the address that a named proxy writes down, and by no other word', async () => {
    const store = openStore({ connectionString: bench.connectionString, max: 1, log: silentLog });
    const guesser = '198.51.100.1';
    // Somebody there has guessed for a while.
    const full_at = new Date(Date.now() + 3_600_000);
    await store.system
      .insertInto('budgets')
      .values({ workspace_id: '*', name: `sign-in from ${guesser}`, full_at })
      .execute();
    const behind = await bench.startProcess('api', { trustedProxies: ['127.0.0.1'] });
    const statusOf = async (origin: string, forwarded: string) => {
      const body = { email: `${Math.random()}@example.test`, password: 'a guess' };
      return (await callerFor(origin)('POST', '/v1/session', { body, headers: { 'x-forwarded-for': forwarded } }))
        .status;
    };
    expect(await statusOf(behind.origin, guesser)).toBe(429);
    expect(await statusOf(behind.origin, `203.0.113.5, ${guesser}`)).toBe(429);
    expect(await statusOf(behind.origin, `${guesser}, 203.0.113.5`)).toBe(401);
    expect(await statusOf(bench.origin, guesser)).toBe(401);

    const budgets = createBudgets(store);
    await store.system
      .updateTable('budgets')
      .set({ full_at: new Date(Date.now() - 1000) })
      .where('name', '=', 'sign-in from 203.0.113.5')
      .execute();
    await budgets.sweep();
    const { names } = await store.system
      .selectFrom('budgets')
      .select(({ fn }) => fn.agg<string[]>('array_agg', ['name']).as('names'))
      .executeTakeFirstOrThrow();
    expect(names, 'what is full again is forgotten').not.toContain('sign-in from 203.0.113.5');
    expect(names).toContain(`sign-in from ${guesser}`);
    await Promise.all([behind.stop(), store.close()]);
  });

  test('is changed by who knows it, or who has just come in by a link', async () => {
    const { id } = await newMember('old@example.test');
    const signedIn = await bench.call('POST', '/v1/session', { body: { email: 'old@example.test', password } });
    const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const change = (body: object, by = cookie) => bench.call('PUT', '/v1/session/password', { cookie: by, body });
    const next = 'another long password';
    for (const known of [{}, { currentPassword: 'a guess' }]) {
      const { status, body } = await change({ password: next, ...known });
      expect([status, body.error.details.fields[0].field]).toEqual([400, 'currentPassword']);
    }
    expect((await change({ password: next, currentPassword: password })).status).toBe(204);
    const link = await bench.owned('POST', `/v1/members/${id}/sign-in-link`);
    const byLink = await bench.signIn(link.body.url);
    expect((await change({ password }, byLink)).status).toBe(204);
    await runStatement(
      bench.connectionString,
      `select set_config('app.workspace', '*', false);
        update sessions set created_at = created_at - interval '15 minutes' where person_id = '${id}'`,
    );
    expect((await change({ password: next }, byLink)).status, 'long after the link').toBe(400);
    const again = await bench.call('POST', '/v1/session', { body: { email: 'old@example.test', password } });
    expect(again.status).toBeLessThan(300);
  });

  test('cannot be guessed quickly by who found a browser signed in, either', async () => {
    await newMember('found@example.test');
    const signedIn = await bench.call('POST', '/v1/session', { body: { email: 'found@example.test', password } });
    const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const guess = (currentPassword: string) =>
      bench.call('PUT', '/v1/session/password', {
        cookie,
        body: { password: 'another long password', currentPassword },
      });
    const guesses = await Promise.all(Array.from({ length: 6 }, (_, at) => guess(`guess ${at}`)));
    expect(guesses.map(({ status }) => status).toSorted()).toEqual([400, 400, 400, 400, 400, 429]);
    expect((await guess(password)).status).toBe(429);
  });

  test("that changes signs other browsers out, but not this one, nor anybody else's", async () => {
    const { id, cookie } = await newMember('change@example.test');
    const { cookie: neighbour } = await newMember('neighbour@example.test');
    const link = await bench.owned('POST', `/v1/members/${id}/sign-in-link`);
    const other = await bench.signIn(link.body.url);
    await bench.call('PUT', '/v1/session/password', { cookie, body: { password: 'another long password' } });
    expect((await bench.call('GET', '/v1/session', { cookie })).status).toBe(200);
    expect((await bench.call('GET', '/v1/session', { cookie: other })).status).toBe(401);
    expect((await bench.call('GET', '/v1/session', { cookie: neighbour })).status).toBe(200);
  });
});

describe('a browser session', () => {
  test('ends with signing out, and no other does', async () => {
    const { id, cookie } = await newMember('out@example.test');
    const other = await bench.signIn((await bench.owned('POST', `/v1/members/${id}/sign-in-link`)).body.url);
    expect((await bench.call('DELETE', '/v1/session', { cookie })).status).toBe(204);
    expect((await bench.call('GET', '/v1/session', { cookie })).status).toBe(401);
    expect((await bench.call('GET', '/v1/session', { cookie: other })).status).toBe(200);
  });

  test('ends when its time is over', async () => {
    const { id, cookie } = await newMember('late@example.test');
    await runStatement(
      bench.connectionString,
      `select set_config('app.workspace', '*', false);
        update sessions set expires_at = now() where person_id = '${id}'`,
    );
    expect((await bench.call('GET', '/v1/session', { cookie })).status).toBe(401);
  });

  test('ends with the membership', async () => {
    const { id, cookie } = await newMember('gone@example.test');
    await bench.owned('DELETE', `/v1/members/${id}`);
    expect((await bench.call('GET', '/v1/session', { cookie })).status).toBe(401);
  });

  test('writes only with our header and from our own origin', async () => {
    const cookie = await bench.signInAsOwner();
    const rename = (headers: Record<string, string>) =>
      bench.call('PATCH', '/v1/workspace', { body: { name: 'Renamed' }, headers: { cookie, ...headers } });
    expect((await rename({})).status).toBe(403);
    expect((await rename({ 'x-switchboard-csrf': '1', origin: 'https://evil.test' })).status).toBe(403);
    expect((await rename({ 'x-switchboard-csrf': '1', origin: bench.origin })).status).toBe(200);
  });

  test('cannot look at a workspace the person does not belong to', async () => {
    const { cookie } = await newMember('stranger@example.test');
    const { workspaceId } = await bench.newTenant('Elsewhere');
    const { status } = await bench.call('PATCH', '/v1/session', { cookie, body: { workspaceId } });
    expect(status).toBe(404);
  });
});

test('a workspace keeps an owner, whatever two of them do at once', async () => {
  const { body: list } = await bench.owned('GET', '/v1/members');
  const first = list.items.find(({ role }: { role: string }) => role === 'owner').id;
  const { id: second } = await newMember('second@example.test', 'owner');
  const answers = await Promise.all(
    [first, second].map((id) => bench.owned('PATCH', `/v1/members/${id}`, { role: 'viewer' })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
});
