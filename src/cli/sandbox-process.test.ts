import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { freePorts } from '../../test/free-ports.ts';
import { requireSandbox } from './sandbox-process.ts';

const answers = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/_control/requests?since=999999999`, {
    headers: { connection: 'close' },
    signal: AbortSignal.timeout(1_000),
  }).then(
    ({ ok }) => ok,
    () => false,
  );

test('where the sandbox is not installed, as in the image, a start says so and does not blame the ports', async () => {
  const port = await freePorts(3);
  await expect(requireSandbox(port, '/no/sandbox/main.ts')).rejects.toThrow(
    /not part of this installation.+credentials/s,
  );
  await requireSandbox(port);
});

test("a terminal's Ctrl-C leaves the sandbox to those who still finish their work there, and it ends with them", async () => {
  const port = await freePorts(3);
  const module = new URL('./sandbox-process.ts', import.meta.url).href;
  const program = `import { startSandboxProcess } from '${module}';
    process.on('SIGINT', () => {});
    await startSandboxProcess(${port}, { info: () => {} });
    process.stdout.write('ready');`;
  // A group of its own, as a terminal gives one to what it runs.
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
    detached: true,
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = await Promise.race([once(parent.stdout, 'data'), once(parent, 'exit')]);
  expect(String(said)).toBe('ready');
  process.kill(-(parent.pid as number), 'SIGINT');
  await sleep(700);
  expect(await answers(port + 1)).toBe(true);
  parent.kill('SIGKILL');
  await expect.poll(() => answers(port + 1)).toBe(false);
});
