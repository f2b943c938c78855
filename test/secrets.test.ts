import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import pg from 'pg';
import { expect, test } from 'vitest';
import { bootstrapKey, keptLog, workbench } from './workbench.ts';

/** Every row of every table, as text. */
const dump = async (connectionString: string): Promise<string> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query("select set_config('app.workspace', '*', false)");
  const { rows: tables } = await client.query<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'jobs')",
  );
  let text = '';
  for (const { name } of tables) {
    const { rows } = await client.query(`select t::text as row from ${name} t`);
    text += rows.map(({ row }: { row: string }) => row).join('\n');
  }
  await client.end();
  return text;
};

test('planted secrets appear nowhere: not in the database, logs, errors, journals or answers', async () => {
  const { log, lines } = keptLog();
  await using bench = await workbench({ log });
  const given = (await (await fetch(`${bench.board.url}/_control/credentials`)).json()) as {
    members: { key: string; token: string; appSecret: string }[];
  };
  const [ada] = given.members;
  const { token = '', appSecret = '' } = ada ?? {};
  const password = 'planted password 8c1f';
  const answers: unknown[] = [];
  const note = async (call: Promise<{ body: unknown }>) => void answers.push((await call).body);

  const auth = { type: 'key_token', key: ada?.key, token, secret: appSecret };
  const { body: account } = await bench.owned('POST', '/v1/accounts', { integration: 'board', auth });
  await note(bench.owned('POST', '/v1/accounts', { integration: 'board', auth: { ...auth, token: `${token}x` } }));
  const list = bench.board.newList();
  const run = (input: unknown, step = 'api_call') =>
    note(bench.owned('POST', `/v1/steps/board.${step}/run`, { accountId: account.id, input }));
  await run({ idList: list.id, name: 'Card' }, 'create_card');
  await run({ method: 'GET', endpoint: '/1/members/me' });
  bench.board.control.faults.add({ match: { path: '/1/cards' }, kind: 'reset', times: 1 });
  await run({ idList: list.id, name: 'Lost' }, 'create_card');
  bench.board.control.faults.add({ match: { path: '/1/cards' }, kind: 'status', status: 500, times: 1 });
  await run({ method: 'POST', endpoint: '/1/cards', body: { idList: list.id, name: 'Broken' } });
  await note(bench.owned('POST', `/v1/accounts/${account.id}/test`));
  await note(bench.owned('GET', '/v1/accounts'));
  await note(bench.owned('GET', '/v1/audit?limit=100'));
  const { body: runs } = await bench.owned('GET', '/v1/runs');
  for (const { id } of runs.items) await note(bench.owned('GET', `/v1/runs/${id}`));
  const cookie = await bench.signInAsOwner();
  await note(bench.call('PUT', '/v1/session/password', { cookie, body: { password } }));
  await note(
    bench.call('POST', '/v1/session', { body: { email: 'owner@switchboard.local', password: `${password}!` } }),
  );
  const { body: made } = await bench.call('POST', '/v1/api-keys', {
    cookie,
    body: { name: 'planted', scopes: ['read'] },
    headers: { 'idempotency-key': 'planted' },
  });
  await note(bench.call('GET', '/v1/workspace', { key: `${made.key}x` }));

  const secrets = { token, appSecret, password, bootstrapKey, key: made.key, session: cookie.split('=')[1] ?? '' };
  const places = {
    database: await dump(bench.connectionString),
    logs: lines.join('\n'),
    answers: JSON.stringify(answers),
  };
  expect(lines.length).toBeGreaterThan(10);
  for (const [place, text] of Object.entries(places)) {
    for (const [name, secret] of Object.entries(secrets)) {
      const forms = [
        secret,
        Buffer.from(secret).toString('base64').replace(/=+$/, ''),
        Buffer.from(secret).toString('hex'),
      ];
      expect([place, name, forms.some((form) => text.includes(form))]).toEqual([place, name, false]);
    }
  }
});

test('what a sign-in brings appears nowhere either: tokens, codes, states, links, the secret of our app', async () => {
  const { log, lines } = keptLog();
  await using bench = await workbench({ log, mail: true });
  const visitor = bench.visitor();
  bench.mail.world.tokens.consentMode = { mode: 'auto', as: 'ada@sandbox.test' };
  const made = await bench.owned('POST', '/v1/connect', { integration: 'mail' });
  const { accountId } = await visitor.visit(made.body.url);
  bench.mail.world.tokens.expire();
  const answers: unknown[] = [];
  const note = async (call: Promise<{ body: unknown }>) => void answers.push((await call).body);
  const run = () => bench.owned('POST', '/v1/steps/mail.list_folders/run', { accountId, input: {} });
  await note(run());
  bench.mail.world.tokens.revoke();
  await note(run());
  bench.board.consent.current = { mode: 'auto', as: 'ben' };
  const board = await bench.owned('POST', '/v1/connect', { integration: 'board', method: 'authorize' });
  const page = await visitor.visit(board.body.url);
  const brought = await visitor.bringFragment(page);
  await note(bench.owned('DELETE', `/v1/accounts/${brought.accountId}`));
  await note(bench.owned('GET', '/v1/accounts'));
  await note(bench.owned('GET', '/v1/audit?limit=100'));

  const { access, refresh, codes } = bench.mail.world.tokens.snapshot();
  const issued = [...access, ...refresh, ...codes].map(([value]) => value);
  const onTheWay = visitor.been.flatMap(({ pathname, searchParams, hash }) => [
    ...[...searchParams].filter(([name]) => name === 'state' || name === 'code').map(([, value]) => value),
    ...(hash === '' ? [] : [hash.slice('#token='.length)]),
    ...(pathname.startsWith('/connect/sbc_') ? [pathname.slice('/connect/'.length)] : []),
  ]);
  const secrets = [...issued, ...onTheWay, 'sandbox-secret'];
  expect(secrets.length).toBeGreaterThan(10);
  const places = {
    database: await dump(bench.connectionString),
    logs: lines.join('\n'),
    answers: JSON.stringify(answers),
  };
  for (const [place, text] of Object.entries(places)) {
    expect([place, secrets.filter((secret) => text.includes(secret))]).toEqual([place, []]);
  }
});

test('no secret stands in the arguments of our processes', async () => {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'args']);
  expect(stdout).not.toContain(bootstrapKey);
});
