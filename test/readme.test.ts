import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, test } from 'vitest';
import { access } from '#api';
import { defaultIntervals } from '#clock';
import { variables } from '#config';
import * as bundles from '../scripts/setup/bundles.mjs';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const exists = (file: string): boolean => statSync(path.join(root, file), { throwIfNoEntry: false }) !== undefined;

const pages = ['*.md', 'docs/**/*.md', 'client/*.md', 'sandbox/*.md'].flatMap((pattern) =>
  globSync(pattern, { cwd: root }),
);
// What was true once stays in the list of changes.
const told = pages.filter((page) => page !== 'CHANGELOG.md').map((page) => ({ page, text: read(page) }));
const code = told.map(({ page, text }) => ({ page, text: text.match(/```.*?```|`[^`\n]+`/gs)?.join('\n') ?? '' }));

/** Everything of one kind that the pages name and that is not there. */
const strange = (from: typeof told, pattern: RegExp, isKnown: (...found: string[]) => boolean): string[] => {
  const found = from.flatMap(({ page, text }) => [...text.matchAll(pattern)].map((match) => ({ page, match })));
  expect(found.length).toBeGreaterThan(0);
  return found
    .filter(({ match: [, ...groups] }) => !isKnown(...groups.map((group) => group ?? '')))
    .map(({ page, match: [whole] }) => `${page}: ${whole}`);
};

const rows = Object.entries(variables).map(([name, { shape, about }]) => {
  const usual = shape.safeParse(undefined);
  const shown =
    usual.success && usual.data !== undefined && String(usual.data) !== '' ? `\`${String(usual.data)}\`` : '';
  return `| \`${name}\` | ${shown} | ${about} |`;
});

test('the README lists every setting as the code reads it', () => {
  const table = read('README.md')
    .split('<!-- settings')[1]
    ?.split('<!-- /settings')[0]
    ?.split('\n')
    .filter((line) => line.startsWith('| `'));
  expect(table).toEqual(rows);
});

test('links between pages lead somewhere, to the heading they name', () => {
  const slug = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
  const headings = (file: string) => [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slug(heading));
  const wrong = told.flatMap(({ page, text }) =>
    [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
      .filter(([, to = '', anchor]) => {
        const file = to === '' ? page : path.join(path.dirname(page), to);
        return !exists(file) || (anchor !== undefined && !headings(file).includes(anchor));
      })
      .map(([whole]) => `${page}: ${whole}`),
  );
  expect(wrong).toEqual([]);
});

test('commands that the pages name exist, with the names they are given', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const commands = [...read('src/cli/main.ts').matchAll(/\.command\('([a-z-]+)'\)/g)].map(([, name]) => name);
  const parts: Record<string, (name: string) => boolean> = {
    prove: (name) => exists(`prove/proofs/${name}.ts`),
    bench: (name) => exists(`bench/${name}.ts`),
    mutate: (name) => read('scripts/mutate/parts.ts').includes(`  ${name}: `),
  };
  const flags: Record<string, string[]> = {
    prove: ['--short', '--report', '--help'],
    bench: ['--keep', '--help'],
    mutate: ['--every', '--only'],
  };
  expect.soft(strange(told, /npm run ([a-z]+)/g, (name = '') => Object.hasOwn(scripts, name))).toEqual([]);
  expect
    .soft(
      strange(code, /npm run (prove|bench|mutate) -- ([^#`\n]+)/g, (script = '', rest = '') =>
        rest
          .replaceAll(/--every \d+|--only <\w+>|\|/g, '')
          .split(/\s+/)
          .filter((word) => /^-*[a-z]+$/.test(word))
          .every((word) => (word.startsWith('-') ? flags[script]?.includes(word) : parts[script]?.(word))),
      ),
    )
    .toEqual([]);
  expect
    .soft(
      strange(
        code,
        /(?:`switchboard|scripts\/switchboard\.mjs|npx switchboard) ([a-z-]+)(?: (rotate))?/g,
        (name, under) => [name, under].every((word) => ['', '--version', ...commands].includes(word)),
      ),
    )
    .toEqual([]);
});

test('routes, settings and files that the pages name exist', () => {
  const plain = (route: string) => route.replaceAll(/\{[^}]*\}|:\w+|…/g, '*').replace(/[?.,]*$/, '');
  const routes = new Set(Object.keys(access).map(plain));
  const isRoute = (method = '', route = '') => routes.has(plain(`${method} ${route.split('?')[0]}`));
  expect.soft(strange(told, /\b(GET|POST|PUT|PATCH|DELETE) (\/v1\/[\w/{}.-]*)/g, isRoute)).toEqual([]);

  const others = ['WEBHOOK_SECRET', 'OWNER_KEY', 'SWITCHBOARD_KEY', 'SWITCHBOARD_API_KEY', 'SIGTERM'];
  const isSetting = (name = '') =>
    Object.hasOwn(variables, name) ||
    others.includes(name) ||
    Object.keys(variables).some((each) => each.startsWith(`${name}_`));
  expect.soft(strange(code, /(?<![\w.-])([A-Z]{2,}(?:_[A-Z]+)+)(?![\w.-])/g, isSetting)).toEqual([]);

  const isFile = (file = '') => exists(file) || globSync(file, { cwd: root }).length > 0;
  const folders = 'src|web|client|deploy|sandbox|test|prove|bench|docs|scripts';
  expect.soft(strange(code, new RegExp(`(?<![\\w/.#:<])((?:${folders})/[\\w./*-]*[\\w*])`, 'g'), isFile)).toEqual([]);
});

test('what the README puts into KEY is used as it is by all pages, so that their commands can be pasted', () => {
  expect(read('README.md')).toContain("export KEY='Authorization: Bearer ");
  expect(strange(code, /(\S+ )"([^"]*\$KEY\b[^"]*)"/g, (before, given) => `${before}${given}` === '-H $KEY')).toEqual(
    [],
  );
});

test("the client's page shows what is compiled with all else", () => {
  const example = read('client/examples/first-calls.ts')
    .replace("'../src/index.ts'", "'@switchboard/client'")
    .replace(/^const apiKey = .+\n\n/m, '');
  expect(read('client/README.md')).toContain(`\`\`\`ts\n${example}\`\`\``);
});

test('a container is well when its API is ready, on whatever port, and a worker while it runs', async () => {
  const check = read('deploy/Containerfile').match(/^HEALTHCHECK .*CMD (.*)$/m)?.[1] ?? '[]';
  const [, , program = ''] = JSON.parse(check) as string[];
  const server = createServer((_, answer) => answer.writeHead(ready ? 200 : 503).end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let ready = true;
  const codeOf = async (command: string, PORT = String(port)): Promise<number> => {
    const cmdline = JSON.stringify(`node\0dist/server/main.js\0${command}\0`);
    // Only the first process of a container is another here.
    const first = `require('node:fs').readFileSync = () => ${cmdline};`;
    const [code] = await once(spawn(process.execPath, ['-e', first + program], { env: { PORT } }), 'exit');
    return code as number;
  };
  expect([await codeOf('api'), await codeOf('worker', '1'), await codeOf('api', '1')]).toEqual([0, 0, 1]);
  ready = false;
  expect(await codeOf('api')).toBe(1);
  server.close();
});

test('an image is told from the one before: its bundles are built as everywhere, with what they were built from', () => {
  const [, program = ''] = read('deploy/Containerfile').match(/^RUN node --input-type=module --eval "([^"]+)"/m) ?? [];
  expect(program).toContain('./scripts/setup/bundles.mjs');
  for (const name of ['ensureWebBundle', 'ensureServerBundle'])
    expect([name, program.includes(name), name in bundles]).toEqual([name, true, true]);
});

test('what is deployed starts files that are there, and its environment holds no comment behind a value', async () => {
  await bundles.ensureServerBundle({ node: process.execPath });
  const units = globSync('deploy/systemd/*.service', { cwd: root }).map((page) => ({ page, text: read(page) }));
  expect
    .soft(
      strange(units, /^ExecStart=\/usr\/bin\/env node (\S+) (?:api|worker)$/gm, exists as (file?: string) => boolean),
    )
    .toEqual([]);
  // Set-up fetches a Node only for machines whose own is too old.
  const fetched = '/opt/switchboard/runtime/node_modules/.bin';
  for (const { text } of units) {
    expect.soft(text).toMatch(new RegExp(`^Environment=PATH=${fetched}:.*/usr/bin`, 'm'));
    // Requests, runs, jobs and refreshes are waited for one after the other.
    const patience = Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1]);
    expect.soft(patience * 1_000).toBeGreaterThan(4 * defaultIntervals.drainMs);
  }
  const sample = told.find(({ page }) => page === 'docs/operations.md')?.text.split('/etc/switchboard/environment')[1];
  expect(sample?.split('```')[1]?.match(/^ *[A-Z_]+=.*#.*$/gm)).toBeNull();
}, 120_000);
