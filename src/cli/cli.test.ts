import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '#store';
import { type Workbench, workbench } from '#test';
import { freshDatabase } from '../../test/database.ts';
import { runStatement } from '../../test/run-statement.ts';
import { serverProgram } from '../../test/server-program.ts';
import { toldOf } from './maintenance.ts';

// For commands that leave what they find as it was.
let bench: Workbench;
beforeAll(async () => {
  bench = await workbench();
});
afterAll(() => bench[Symbol.asyncDispose]());

const switchboard = async (args: string[], environment: Record<string, string> = {}) => {
  const program = await serverProgram();
  return new Promise<{ code: number; output: string }>((resolve) => {
    const env = { PATH: process.env['PATH'] ?? '', ...environment };
    execFile(process.execPath, [program, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    );
  });
};

const as = (role: string, connectionString: string): string => {
  const url = new URL(connectionString);
  [url.username, url.password] = [role, 'pw'];
  return url.href;
};

test('a wrong setting stops every command with its name and what it should be', async () => {
  const { code, output } = await switchboard(['start'], { PORT: 'eighty' });
  expect(code).toBe(1);
  expect(output).toContain('PORT must be a port number');
  expect(output).not.toContain('at ');
});

test('`switchboard migrate` tells whether it changed anything', () => {
  expect([
    toldOf({ done: [], newer: [] }),
    toldOf({ done: ['0001-a', '0002-b'], newer: [] }),
    toldOf({ done: [], newer: ['0003-c'] }),
  ]).toEqual([
    'The database was at the newest version already.',
    'The database was brought to the newest version, 0002-b (2 changes).',
    expect.stringContaining('a newer version (0003-c)'),
  ]);
});

test('processes that share work ask for the database they share', async () => {
  const { code, output } = await switchboard(['worker']);
  expect([code, output]).toEqual([1, expect.stringContaining('DATABASE_URL must be set')]);
});

test('a start that finds its port taken ends, and says what to do; it has said before that others have another address', async () => {
  const { port } = new URL(bench.origin);
  const { code, output } = await switchboard(['api'], {
    DATABASE_URL: bench.connectionString,
    DATA_DIR: bench.config.dataDir,
    PORT: port,
    PUBLIC_URL: 'https://other.example',
  });
  expect([code, output]).toEqual([1, expect.stringContaining(`port ${port} of 127.0.0.1 is used by another program`)]);
  expect(output).toContain('processes on this database have another PUBLIC_URL');
});

test('a start that waits for something ends when it is asked to', async () => {
  await using bench = await workbench();
  const client = new pg.Client({ connectionString: bench.connectionString });
  await client.connect();
  await client.query('begin; lock table house in access exclusive mode');
  const env = { PATH: process.env['PATH'] ?? '', DATABASE_URL: bench.connectionString, DATA_DIR: bench.config.dataDir };
  const child = spawn(process.execPath, [await serverProgram(), 'worker'], { env, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const waiting = `select count(*)::int as n from pg_locks where relation = 'house'::regclass and not granted`;
  await expect.poll(async () => (await client.query(waiting)).rows[0].n).toBeGreaterThan(0);

  child.kill('SIGTERM');

  expect(await Promise.race([ended, sleep(15_000, 'goes on')])).toEqual([0, null]);
  await client.end();
});

test('a start ends when it is asked to, also while the sandbox does not come up', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const env = {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: bench.connectionString,
    DATA_DIR: bench.config.dataDir,
    SANDBOX_PORT: String((silent.address() as AddressInfo).port - 1),
  };
  const child = spawn(process.execPath, [await serverProgram(), 'start'], { env, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  await once(silent, 'connection');

  child.kill('SIGTERM');

  expect(await Promise.race([ended, sleep(15_000, 'goes on')])).toEqual([0, null]);
});

test('a database that does not let us in is told as such, with what to look at', async () => {
  const missing = new URL(bench.connectionString);
  missing.pathname = '/no_such_database';
  for (const DATABASE_URL of ['postgres://x@127.0.0.1:1/x', missing.href]) {
    for (const command of ['worker', 'migrate', 'sign-in-link']) {
      const { code, output } = await switchboard([command], { DATABASE_URL, DATA_DIR: bench.config.dataDir });
      expect([code, output]).toEqual([1, expect.stringMatching(/the database cannot be used: .+DATABASE_URL right\?/)]);
    }
  }
});

test('an address that is not of this machine, and a folder that is a file, are told with the setting to change', async () => {
  const database = { DATABASE_URL: bench.connectionString };
  const host = await switchboard(['api'], {
    ...database,
    DATA_DIR: bench.config.dataDir,
    HOST: '203.0.113.7',
    PORT: '1024',
  });
  expect([host.code, host.output]).toEqual([1, expect.stringContaining('HOST must be an address of this machine')]);
  expect(host.output).not.toContain('connection was lost');
  const refused = /DATA_DIR \S+ cannot be used: a file is in the way/;
  const file = fileURLToPath(import.meta.url);
  for (const [args, environment] of [
    [['worker'], database],
    [['start'], { SANDBOX: 'off' }],
  ] as const) {
    const { code, output } = await switchboard([...args], { ...environment, DATA_DIR: file });
    expect([code, output]).toEqual([1, expect.stringMatching(refused)]);
  }
});

test('variables that look like settings and are none are told by the doctor and at the start', async () => {
  const environment = { DATABASE_URL: bench.connectionString, DATA_DIR: bench.config.dataDir, PORT: '1' };
  const slip = { ...environment, HOST: '203.0.113.7', MAIL_CLIENTID: 'x' };
  const [doctor, api] = await Promise.all([switchboard(['doctor'], slip), switchboard(['api'], slip)]);
  expect([doctor.code, doctor.output]).toEqual([1, expect.stringContaining('✗ settings: MAIL_CLIENTID')]);
  expect(doctor.output).toContain('✗ server: HOST must be an address of this machine, and 203.0.113.7 is none');
  expect(api.output).toContain('"variables":["MAIL_CLIENTID"]');
});

test('an unknown command points to the help, which lists commands and variables', async () => {
  expect((await switchboard(['nonsense'])).output).toContain('--help');
  const { output } = await switchboard(['--help']);
  for (const word of ['start', 'sign-in-link', 'doctor', 'ENCRYPTION_KEY']) expect(output).toContain(word);
});

test('the command tells its version, and what a bundle was built from', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const built = readFileSync(new URL('../../dist/server/.built-from', import.meta.url), 'utf8').slice(0, 12);
  for (const flag of ['--version', '-v']) {
    const { code, output } = await switchboard([flag], { PORT: 'eighty' });
    expect([code, output]).toEqual([0, `${version} ${built}\n`]);
  }
  expect((await switchboard(['--help'])).output).toContain('-v, --version');
});

test('a sign-in link from the command line lets its member in once', async () => {
  const environment = { DATABASE_URL: bench.connectionString, PUBLIC_URL: bench.origin };
  const { output } = await switchboard(['sign-in-link'], environment);
  const cookie = await bench.signIn(output.split('\n')[0] ?? '');
  expect((await bench.call('GET', '/v1/session', { cookie })).body.member.role).toBe('owner');
  const unknown = await switchboard(['sign-in-link', '--email', 'nobody@example.test'], environment);
  expect([unknown.code, unknown.output]).toEqual([1, expect.stringContaining('nobody@example.test')]);
});

test('the doctor names what is wrong and what to do', async () => {
  await using folder = await scratchFolder();
  // Elsewhere a machine answers to one address of these alone.
  const HOST = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1';
  const stranger = createServer().listen(0, HOST);
  await new Promise((resolve) => stranger.once('listening', resolve));
  const { port } = stranger.address() as { port: number };
  const environment = {
    DATA_DIR: join(folder.path, 'data'),
    HOST,
    PORT: String(port),
    DATABASE_URL: 'postgres://x@127.0.0.1:1/x',
    SMTP_URL: 'smtp://127.0.0.1:1',
  };
  stranger.on('connection', (socket) =>
    socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'),
  );
  const { code, output } = await switchboard(['doctor'], environment);
  stranger.close();
  expect(code).toBe(1);
  expect(output).toMatch(/✗ database: .+Is it running, and is DATABASE_URL right\?/);
  expect(output).toContain(`✗ server: port ${port} is used by another program`);
  expect(output).toMatch(/✗ mail to approvers: 127\.0\.0\.1:1 does not answer .+ is SMTP_URL right\?/);
  expect(output).toContain('✓ Node');
});

test('the doctor finds a service in a private network that live mode would not call, and a folder that is a file', async () => {
  await using folder = await scratchFolder();
  const inside = createHttpServer((_, answer) => answer.end('hi')).listen(0, '127.0.0.1');
  await once(inside, 'listening');
  const { port } = inside.address() as { port: number };
  const services = { MAIL_API_URL: `http://127.0.0.1:${port}/v1.0`, BOARD_API_URL: `http://localhost:${port}` };
  const doctor = (SANDBOX: string, DATA_DIR: string) =>
    switchboard(['doctor'], { ...services, SANDBOX, DATA_DIR, PORT: '1' });
  const file = fileURLToPath(import.meta.url);
  const [live, sandbox] = await Promise.all([doctor('off', folder.path), doctor('on', join(file, 'data'))]);
  inside.close();
  for (const [name, host] of [
    ['mail', '127.0.0.1'],
    ['board', 'localhost'],
  ]) {
    expect(live.output).toContain(`✗ ${name} service: http://${host}:${port} lies in a private network`);
    expect(sandbox.output).toContain(`✓ ${name} service: http://${host}:${port} answers`);
  }
  for (const name of ['database', 'secrets']) {
    expect(live.output).toContain(`✓ ${name}`);
    expect(sandbox.output).toMatch(new RegExp(`✗ ${name}: DATA_DIR \\S+ cannot be used: a file is in the way`));
  }
});

test('the doctor does not call secrets well that it could not try', async () => {
  await using folder = await scratchFolder();
  const away = { DATA_DIR: folder.path, PORT: '1', DATABASE_URL: 'postgres://x@127.0.0.1:1/x' };
  const { output } = await switchboard(['doctor'], { ...away, ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') });
  expect(output).toContain('✗ secrets: the key could not be tried');
  expect(output).not.toContain('✓ secrets');
});

test('where nothing is stored yet any key is right, and where something is, none is not', async () => {
  await using database = await freshDatabase();
  await runStatement(database.connectionString, 'drop schema public cascade; create schema public');
  const empty = { DATABASE_URL: database.connectionString, PORT: '1' };
  const key = { ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') };
  const guest = `guest_${crypto.randomUUID().slice(0, 8)}`;
  await runStatement(database.connectionString, `create role ${guest} login password 'pw'`);
  const [own, foreign] = await Promise.all([
    switchboard(['doctor'], { ...empty, ...key }),
    switchboard(['doctor'], { ...empty, ...key, DATABASE_URL: as(guest, database.connectionString) }),
  ]);
  await runStatement(database.connectionString, `drop role ${guest}`);
  expect(own.output).toContain('✓ secrets');
  const told = `✗ database: the role ${guest} of DATABASE_URL may not make tables there.`;
  expect(foreign.output).toMatch(new RegExp(`${told} .+ alter schema public owner to ${guest};`));
  expect(foreign.output).toContain('✗ secrets');

  await using folder = await scratchFolder();
  await using bench = await workbench();
  const keyless = { DATABASE_URL: bench.connectionString, DATA_DIR: folder.path, PORT: '1' };
  expect((await switchboard(['doctor'], keyless)).output).toContain(
    '✗ secrets: there is no key here for what is stored',
  );
});

test('a key that does not open what is stored stops the start, and the doctor notices it', async () => {
  await using bench = await workbench();
  await bench.connectBoard();
  const environment = { DATABASE_URL: bench.connectionString, DATA_DIR: bench.config.dataDir, PORT: '1' };
  // As after an update, before the first start.
  await runStatement(bench.connectionString, 'alter table house drop column sign');
  expect((await switchboard(['doctor'], environment)).output).toContain('✓ secrets');
  await runStatement(bench.connectionString, 'alter table house add column sign bytea');
  const other = { ...environment, ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') };
  await using folder = await scratchFolder();
  const [told, started, keyless] = await Promise.all([
    switchboard(['doctor'], other),
    switchboard(['worker'], other),
    switchboard(['worker'], { ...environment, DATA_DIR: folder.path }),
  ]);
  expect(keyless.output).toContain('or set ENCRYPTION_KEY as the other processes have it');
  expect([told.code, told.output]).toEqual([
    1,
    expect.stringContaining('✗ secrets: the key does not open what is stored'),
  ]);
  expect([started.code, started.output]).toEqual([
    1,
    expect.stringContaining('ENCRYPTION_KEY does not open what is stored'),
  ]);
});

test('a database that only reads is no use: readiness, numbers and doctor say so, until it writes again', async () => {
  await using reader = await workbench();
  const name = new URL(reader.connectionString).pathname.slice(1);
  const others =
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
  await runStatement(reader.connectionString, `alter database ${name} set default_transaction_read_only = on`);
  await runStatement(reader.connectionString, others);
  await expect
    .poll(() => reader.call('GET', '/readyz'))
    .toMatchObject({ status: 503, body: { status: 'not ready', database: 'only reads', queue: 'ready' } });
  const { status, body } = await reader.owned('POST', '/v1/api-keys', { name: 'x', scopes: ['read'] });
  expect([status, body.error.code]).toEqual([503, 'unavailable']);
  expect((await reader.call('GET', '/metrics')).body).toContain('switchboard_storage_writable 0\n');
  const environment = { DATABASE_URL: reader.connectionString, DATA_DIR: reader.config.dataDir };
  const [{ output }, started] = await Promise.all([
    switchboard(['doctor'], { ...environment, PORT: new URL(reader.origin).port }),
    switchboard(['worker'], environment),
  ]);
  expect(started.output).toContain('the database cannot be used: it only reads; name the primary');
  expect(output).toContain('✗ database: it only reads');
  expect(output).toContain('but not ready: {"status":"not ready","database":"only reads"');
  const again = `set transaction read write; alter database ${name} reset default_transaction_read_only`;
  await runStatement(reader.connectionString, again);
  await expect.poll(() => reader.call('GET', '/readyz')).toMatchObject({ status: 200 });
  const made = () => reader.owned('POST', '/v1/api-keys', { name: 'x', scopes: ['read'] });
  await expect.poll(made).toMatchObject({ status: 201 });
});

test('the doctor only looks: where nothing has been started yet, nothing is made', async () => {
  await using folder = await scratchFolder();
  const ports = { PORT: '1', SANDBOX_PORT: '2' };
  await switchboard(['doctor'], { ...ports, DATA_DIR: join(folder.path, 'data') });
  const { output } = await switchboard(['doctor'], { ...ports, DATA_DIR: folder.path });
  expect(output).toContain('✓ database: embedded');
  expect(readdirSync(folder.path)).toEqual([]);
});

test('keys from the environment are rotated only when a new one stands before the old', async () => {
  await using bench = await workbench();
  const key = Buffer.alloc(32, 7).toString('base64');
  const { code, output } = await switchboard(['keys', 'rotate'], {
    DATABASE_URL: bench.connectionString,
    ENCRYPTION_KEY: key,
  });
  expect([code, output]).toEqual([1, expect.stringContaining('Put a new one before it')]);
});

test('the secrets of a set-up are for its owner alone', async () => {
  await using bench = await workbench();
  expect(statSync(join(bench.config.dataDir, 'secrets', 'keys')).mode & 0o077).toBe(0);
});
