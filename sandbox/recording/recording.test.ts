import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { covered } from '../board/contract/judge.ts';
import { startBoard } from '../board/server.ts';
import { openings } from '../common/opening.ts';
import { recordingEnvironment } from './environment.ts';
import { type Report, readReport } from './report.ts';

// Each starts a process or two.
vi.setConfig({ testTimeout: 90_000 });

const root = path.resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'switchboard-recording-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a program in a process whose records are its own, as those of a test run are the run's. */
const run = async (name: string, args: readonly string[], environment = recordingEnvironment()) => {
  const own = path.join(folder, name);
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...environment, SANDBOX_RECORD: own },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => {
      said += data.toString();
      // The sandbox's own program is ended once it is ready.
      if (said.includes('Model  http')) child.kill('SIGTERM');
    });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said, report: (): Report => readReport(own) };
};

const program = (code: string): string[] => ['--input-type=module', '-e', code];

/** Asks a board and a mailbox, whole and in a batch, after something was done to what they hold. */
const ask = (harm: string) =>
  program(`
    import { startBoard } from './sandbox/board/server.ts';
    import { startMail } from './sandbox/mail/server.ts';
    const board = await startBoard();
    const mail = await startMail();
    const card = [...board.world.cards.values()][0];
    const messages = mail.world.mailboxOf('ada@sandbox.test').timeline;
    ${harm}
    const { key, token } = board.credentials('ada');
    const who = 'key=' + key + '&token=' + token;
    const headers = { authorization: 'Bearer ' + mail.tokenFor('ada@sandbox.test'), 'content-type': 'application/json' };
    const requests = [{ id: '1', method: 'GET', url: '/me/messages?$top=1' }];
    const answers = [
      await fetch(board.url + '/1/cards/' + card.id + '?' + who),
      await fetch(board.url + '/1/batch?urls=/cards/' + card.id + '&' + who),
      await fetch(board.url + '/1/nowhere?' + who),
      await fetch(mail.url + '/v1.0/me/messages?$top=1', { headers }),
      await fetch(mail.url + '/v1.0/$batch', { method: 'POST', headers, body: JSON.stringify({ requests }) }),
      await fetch(mail.url + '/v1.0/me/nowhere', { headers }),
    ];
    console.log(answers.map(({ status }) => status).join(' '));
    await board.close();
    await mail.close();
  `);

test('an answer that its description does not allow is reported, also as part of a batch', async () => {
  const harm = "card.due = 'never'; for (const message of messages) message.importance = 'tremendous';";
  const { said, report } = await run('wrong', ask(harm));
  expect(said).toBe('200 200 404 200 200 400\n');
  const { strayed, ...counts } = report();
  expect(counts).toEqual({ sandboxes: 2, answers: 6 });
  const [card, partOfBoard, ...ofMail] = strayed;
  expect(card).toMatch(/^board: GET \/1\/cards\/\w+\?key=….* 200: \S*\/due must match format/);
  expect(partOfBoard).toMatch(/^board: GET \/1\/batch\?.* 200: \/cards\/\w+: \S*\/due must match format/);
  expect(ofMail.every((text) => text.includes('importance must be equal to one of the allowed values'))).toBe(true);
  expect(new Set(ofMail.map((text) => text.split(' ').slice(0, 4).join(' ')))).toEqual(
    new Set(['mail: GET /v1.0/me/messages?$top=1 200:', 'mail: POST /v1.0/$batch 200:']),
  );
});

test('answers that conform, refusals too, are counted and nothing is reported', async () => {
  const { said, report } = await run('right', ask(''));
  expect([said, report()]).toEqual(['200 200 404 200 200 400\n', { sandboxes: 2, answers: 6, strayed: [] }]);
});

test('the program that starts the three servers is recorded as well', async () => {
  const { code, report } = await run('program', ['sandbox/main.ts', '--port', '0']);
  expect([code, report()]).toEqual([0, { sandboxes: 3, answers: 0, strayed: [] }]);
});

test('in a test run no sandbox starts where nobody records', async () => {
  const { code, said } = await run('unrecorded', ['sandbox/main.ts', '--port', '0'], { NODE_OPTIONS: '' });
  expect([code, said]).toEqual([1, expect.stringContaining('nobody records here')]);
});

test('this very process records', async () => {
  expect(process.env['SANDBOX_RECORD']).toBeTruthy();
  expect(openings.hasSubscribers).toBe(true);
  await using board = await startBoard();
  const { key, token } = board.credentials('ada');
  covered.clear();
  await fetch(`${board.url}/1/members/me?key=${key}&token=${token}`);
  expect([...covered]).toEqual(['GET /members/{id}']);
});

/** Programs that get an environment made for them and start no sandbox, or ask it nothing. */
const withoutSandbox: Record<string, string> = {
  'src/cli/cli.test.ts': 'commands that end before a sandbox would start',
  'src/cli/sandbox-process.test.ts': 'a sandbox that is only asked whether it is there',
  'test/readme.test.ts': 'a health check',
  'src/store/embedded/server.ts': 'PostgreSQL',
  'src/store/embedded/commands.ts': 'PostgreSQL',
  'scripts/test/browser.ts': 'a package manager',
};

test('whoever makes an environment for a child process hands the recording on', () => {
  const files = globSync('{src,sandbox,web,test,prove,bench,scripts}/**/*.{ts,tsx,mjs}', { cwd: root });
  const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
  const making = files.filter(
    (file) => read(file).includes("'node:child_process'") && /\benv\b/.test(read(file).replaceAll('process.env', '')),
  );
  const forgetful = making.filter(
    (file) => !/recordingEnvironment\(\)|\.\.\.process\.env\b/.test(read(file)) && !(file in withoutSandbox),
  );
  expect(making).toEqual(expect.arrayContaining(['prove/harness/processes.ts', ...Object.keys(withoutSandbox)]));
  expect(forgetful).toEqual([]);
});
