import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

const Pins = z.record(z.string(), z.string()).default({});
const Manifest = z.object({
  dependencies: Pins,
  devDependencies: Pins,
  optionalDependencies: Pins,
  overrides: Pins,
  scripts: Pins,
  allowScripts: z.record(z.string(), z.boolean()).default({}),
});
const Lock = z.object({
  packages: z.record(z.string(), z.object({ hasInstallScript: z.boolean().optional() })),
});
const manifest = (file: string) => Manifest.parse(JSON.parse(read(file)));

test.each(['package.json', 'runtime/package.json'])('%s pins every package exactly', (file) => {
  const { dependencies, devDependencies, optionalDependencies, overrides } = manifest(file);
  const pins = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies, ...overrides });

  expect(pins.length).toBeGreaterThan(0);
  expect(pins.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([]);
});

test('no package may run a script when it is installed', () => {
  const packages = Object.entries(Lock.parse(JSON.parse(read('package-lock.json'))).packages);
  const scripted = packages
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([place]) => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length));

  expect(packages.length).toBeGreaterThan(100);
  expect(manifest('package.json').allowScripts).toEqual(Object.fromEntries(scripted.map((name) => [name, false])));
});

/** The commands that stand in a text's code blocks, one per line. */
const commandsIn = (markdown: string) =>
  [...markdown.matchAll(/```\w*\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
    block.split('\n').map((line) =>
      line
        .replace(/^\$ /, '')
        .replace(/\s+#.*$/, '')
        .trim(),
    ),
  );

test('the README shows the command that starts Switchboard and the one that tests it', () => {
  expect(commandsIn(read('README.md'))).toEqual(expect.arrayContaining(['npm start', 'npm test']));
});

test('the continuous check runs the README test command and nothing else', () => {
  const lines = read('.ci/run').split('\n');
  // Besides the command itself: the interpreter line, shell safety, the way to the root.
  const work = lines.filter(
    (line) => line !== '' && !/^#!|^set -euo pipefail$|^cd "\$\(dirname "\$0"\)\/\.\."$/.test(line),
  );

  expect(work).toEqual(['exec npm test']);
  expect(statSync(path.join(root, '.ci/run')).mode & 0o111).not.toBe(0);
});

test('every npm script leads through the front door that makes the machine ready', () => {
  const { scripts } = manifest('package.json');

  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['start', 'test', 'check', 'prove', 'bench', 'format']));
  // Without exec a signal to npm would end the shell between, and leave the server running.
  for (const [name, command] of Object.entries(scripts)) expect(command).toBe(`exec node scripts/run.mjs ${name}`);
  expect(existsSync(path.join(root, 'scripts/run.mjs'))).toBe(true);
});

const tests = globSync('{src,sandbox,web,test,prove,bench,scripts}/**/*.test.{ts,tsx}', { cwd: root });

test('no test is skipped, left for later or run alone', () => {
  const forbidden =
    /\b(?:test|it|describe|suite|bench)(?:\.\w+)*\.(?:only|skip|skipIf|runIf|todo|fails)\b|\b(?:xit|xtest|xdescribe|fit|fdescribe)\(/;
  const found = tests.flatMap((file) =>
    read(file)
      .split('\n')
      .flatMap((line, index) => (forbidden.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );

  expect(tests.length).toBeGreaterThan(5);
  expect(found).toEqual([]);
});

test('no test waits less patiently for what must come than all do: a busy machine takes its time', () => {
  const least = 45_000;
  // Half a second is for what must not come.
  const given = /\btimeout: ([\d_]+)\b|\bsetDefault\w*Timeout\(([\d_]+)\)|\bvi\.wait(?:For|Until)\([^;{]*\);/g;
  const hasty = tests.flatMap((file) =>
    [...read(file).matchAll(given)].flatMap(([text, one, other]) => {
      const ms = Number((one ?? other ?? '0').replaceAll('_', ''));
      return ms === 500 || ms >= least ? [] : [`${file}: ${text}`];
    }),
  );

  expect(read('vitest.config.ts')).toContain(`expect: { poll: { timeout: 45_000 } }`);
  expect(hasty).toEqual([]);
});
