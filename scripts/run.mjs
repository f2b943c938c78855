// The front door of `npm start`, `npm test` and their kin: makes the machine ready, then runs the real command.
import { prepareAndRun } from './setup/prepare.mjs';
import { say } from './setup/say.mjs';

const commands = {
  start: ['dist/server/main.js', 'start'],
  test: ['scripts/test.ts'],
  check: ['scripts/check.ts'],
  prove: ['prove/main.ts'],
  bench: ['bench/main.ts'],
  client: ['scripts/client.ts'],
  mutate: ['scripts/mutate.ts'],
  format: ['node_modules/@biomejs/biome/bin/biome', 'check', '--write', '.'],
};

const [name, ...rest] = process.argv.slice(2);
const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined;
if (command === undefined) {
  say(`Usage: npm start | npm test | npm run ${Object.keys(commands).slice(2).join(' | npm run ')}`);
  process.exitCode = 2;
} else {
  await prepareAndRun([...command, ...rest]);
}
