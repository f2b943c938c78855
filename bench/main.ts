import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Every benchmark: a program beside this file that prints ratios against a reference measured in the same run. */
const benchmarks = {
  steps: 'the pass-through step beside a bare proxy with one database read',
  filter: '2,000 and 10,000 mail filters on one mailbox, by the index beside a loop over all of them',
  events: 'a notification becomes one call to the service, beside the least code that keeps the promise',
  idle: '100,000 triggers at rest: memory, processor, and one event among them',
  million: 'a calculation: looks, renewals and catching up of one million accounts',
  web: 'pages of the web app beside an empty page: first paint, heading, JavaScript',
  approvals: '10,000 pending approvals: listing, deciding, and what the waiting costs, beside a handful',
  sandbox: 'requests/s of the sandbox beside a bare server, with 100,000 messages and 20,000 cards',
};

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in benchmarks));
if (unknown.length > 0) {
  const list = Object.entries(benchmarks).map(([name, about]) => `  ${name.padEnd(10)} ${about}`);
  say(`npm run bench -- [name …]\n${list.join('\n')}`);
  process.exit(1);
}
for (const name of wanted.length > 0 ? wanted : Object.keys(benchmarks)) {
  say(`${name}:`);
  const child = spawn(process.execPath, [fileURLToPath(new URL(`${name}.ts`, import.meta.url))], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) process.exitCode = 1;
}
