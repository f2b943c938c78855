import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startSandbox } from './index.ts';
import { recordingEnvironment } from './recording/environment.ts';

const main = path.join(import.meta.dirname, 'main.ts');

/** Runs the command and gathers what it says. */
const run = (...given: string[]) => {
  const env = { ...process.env, ...recordingEnvironment() };
  const child = spawn(process.execPath, [main, ...given], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const said = { out: '', error: '' };
  child.stdout?.on('data', (data: Buffer) => {
    said.out += data.toString();
  });
  child.stderr?.on('data', (data: Buffer) => {
    said.error += data.toString();
  });
  return { child, said, ended: once(child, 'exit') as Promise<[number | null, string | null]> };
};

test('three servers start together, answer, and stop', async () => {
  const sandbox = await startSandbox({ port: 0 });
  const urls = [sandbox.mail.url, sandbox.board.url, sandbox.model.url];
  const answers = await Promise.all(urls.map((url) => fetch(`${url}/_control/requests`)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  await sandbox.close();
  await expect(fetch(sandbox.mail.url)).rejects.toThrow();
});

test('a taken port is an error, and no server is left behind', async () => {
  const blocker = createServer().listen(0, '127.0.0.1');
  await once(blocker, 'listening');
  const address = blocker.address();
  const taken = typeof address === 'object' && address !== null ? address.port : 0;
  await expect(startSandbox({ port: taken - 1 })).rejects.toThrow('EADDRINUSE');
  await expect(fetch(`http://127.0.0.1:${taken - 1}/`)).rejects.toThrow();
  await expect(fetch(`http://127.0.0.1:${taken + 1}/`)).rejects.toThrow();
  blocker.close();
});

test.each(['0.0.0.0', '::', '192.168.1.7', 'example.com'])('it refuses to listen on %s', async (host) => {
  await expect(startSandbox({ port: 0, host })).rejects.toThrow('127.0.0.1 only');
});

test('a mail sent in one run is there in the next when a directory is given', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'switchboard-sandbox-'));
  const first = await startSandbox({ port: 0, dataDir });
  first.mail.world.deliver({
    from: { name: 'Grace', address: 'grace@outside.test' },
    to: [{ name: 'Ada', address: 'ada@sandbox.test' }],
    subject: 'Remember this',
    body: { contentType: 'text', content: 'Please.' },
  });
  await first.close();
  const second = await startSandbox({ port: 0, dataDir });
  const subjects = second.mail.world.mailboxOf('ada@sandbox.test')?.timeline.map(({ subject }) => subject);
  await second.close();
  rmSync(dataDir, { recursive: true });
  expect(subjects).toContain('Remember this');
});

test('the command prints its addresses and ends cleanly when told to, or when whoever started it is gone', async () => {
  const left = [run('--port', '0'), run('--port', '0')];
  left[0]?.child.disconnect();
  const { child, said, ended } = run('--port', '0');
  await expect.poll(() => left[1]?.said.out).toContain('Model  http');
  left[1]?.child.disconnect();
  for (const each of left) expect(await each.ended).toEqual([0, null]);
  await expect.poll(() => said.out).toContain('Model  http');
  const [mail = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(said.out) ?? [];
  expect((await fetch(mail)).status).toBe(200);
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(said.error).toBe('');
});

test.each([
  [['--host', '0.0.0.0'], 1, '127.0.0.1 only'],
  [['--port', 'many'], 1, 'whole number'],
  [['--colour', 'red'], 2, 'Usage'],
])('%s is refused with a sentence', async (given, code, words) => {
  const { said, ended } = run(...given);
  expect(await ended).toEqual([code, null]);
  expect(said.error).toContain(words);
});
