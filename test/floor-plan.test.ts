import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from '@swc/core';
import { beforeAll, describe, expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };

const root = path.resolve(import.meta.dirname, '..');
const doors: Record<string, string> = manifest.imports;

/** Which rooms of src/ a room may enter, besides itself. */
const floors: Record<string, readonly string[]> = {
  kit: [],
  integrations: ['kit'], // and its own folder, no sibling
  store: ['kit'],
  jobs: ['kit', 'store'],
  upstream: ['kit', 'store'],
  workspaces: ['kit', 'store'],
  accounts: ['kit', 'store', 'jobs', 'upstream', 'workspaces'],
  // An outside write and its audit record are one transaction.
  effects: ['kit', 'store', 'jobs', 'upstream', 'workspaces', 'accounts'],
  runs: ['kit', 'store', 'jobs', 'upstream', 'workspaces', 'accounts', 'effects'],
  events: ['kit', 'store', 'jobs', 'upstream', 'workspaces', 'accounts', 'runs'],
  notices: ['kit', 'store', 'jobs', 'workspaces'],
  api: ['kit', 'workspaces', 'accounts', 'effects', 'runs', 'events', 'notices'],
  mcp: ['kit', 'workspaces', 'accounts', 'effects', 'runs'],
  cli: ['main', 'store', 'upstream', 'workspaces'],
  clock: [],
  config: ['kit'],
  log: ['kit'],
};
const rooms = new Set([...Object.keys(floors), 'main']);
/** What stands beside the rooms, open to all but the vocabulary and those who speak it. */
const commons = new Set(['clock', 'config', 'log']);
const purists = new Set(['kit', 'integrations']);

/** Which top folders a top folder may import from, besides itself and the files at the root. */
const grounds: Record<string, readonly string[]> = {
  src: [], // cli also starts the sandbox; tests use test/
  sandbox: [], // so it cannot repeat our mistakes
  client: [],
  web: ['client'],
  test: ['src', 'sandbox', 'web', 'client', 'scripts', 'prove', 'bench'],
  prove: ['src', 'sandbox', 'test', 'scripts'], // proofs run what set-up builds
  bench: ['src', 'sandbox', 'test', 'prove'], // prove/harness starts real processes
  scripts: [],
};

type Place = { file: string; ground: string; room: string; isTest: boolean };

const placeOf = (file: string): Place => {
  const [first = '', second = ''] = file.split('/');
  const ground = file.includes('/') ? first : 'root';
  const room = ground === 'src' ? second.replace(/(?:\.test)?\.tsx?$/, '') : '';
  return { file, ground, room, isTest: /\.test\.tsx?$|^web\/test\//.test(file) };
};

const isNode = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const literal = (node: unknown): string[] =>
  isNode(node) && node['type'] === 'StringLiteral' && typeof node['value'] === 'string' ? [node['value']] : [];

/** Every module that a syntax tree names: import, export from, import(), import types, require(). */
const specifiersIn = (node: unknown): string[] => {
  if (Array.isArray(node)) return node.flatMap(specifiersIn);
  if (!isNode(node)) return [];
  const callee = isNode(node['callee']) ? node['callee'] : {};
  const isCall = callee['type'] === 'Import' || callee['value'] === 'require';
  const args: unknown = node['arguments'];
  const called =
    isCall && Array.isArray(args) ? args.flatMap((arg) => (isNode(arg) ? literal(arg['expression']) : [])) : [];
  const typed = node['type'] === 'TsImportType' ? literal(node['argument']) : [];
  return [...literal(node['source']), ...called, ...typed, ...Object.values(node).flatMap(specifiersIn)];
};

const importsOf = (file: string, code: string): string[] =>
  specifiersIn(parseSync(code, { syntax: 'typescript', tsx: file.endsWith('x'), target: 'es2024' }).body);

/** The file of this repository that a specifier leads to; nothing for a package. */
const resolve = (from: string, specifier: string): string | undefined => {
  if (specifier.startsWith('#')) return path.posix.normalize(doors[specifier] ?? specifier);
  return specifier.startsWith('.') ? path.posix.join(path.posix.dirname(from), specifier) : undefined;
};

const withinSrc = (from: Place, to: Place, specifier: string): string | undefined => {
  if (!rooms.has(to.room)) return `${to.room} is no room of the floor plan`;
  if (from.room === to.room) {
    const [, , mine = ''] = from.file.split('/');
    const [, , theirs = ''] = to.file.split('/');
    if (specifier.startsWith('#') && !from.isTest) return 'within a room imports are relative';
    if (from.room !== 'integrations' || mine === theirs) return undefined;
    const isList = mine === 'index.ts' && to.file === `src/integrations/${theirs}/index.ts`;
    return isList ? undefined : 'an integration imports nothing from a sibling';
  }
  const open =
    from.room === 'main' ||
    from.isTest ||
    (commons.has(to.room) && !purists.has(from.room)) ||
    floors[from.room]?.includes(to.room);
  if (!open) return `${from.room} may not enter ${to.room}`;
  const neighbours = [from, to].every(({ file }) => path.posix.dirname(file) === 'src');
  return neighbours ? undefined : throughTheDoor(to, specifier);
};

/** Parts that are fast on purpose, and measured by themselves. */
const measured = new Set(['src/integrations/mail/filter/index.ts']);

const throughTheDoor = (to: Place, specifier: string): string | undefined => {
  const door = Object.keys(doors).find((name) => path.posix.normalize(doors[name] ?? '') === to.file);
  if (door !== undefined) return specifier === door ? undefined : `the door is ${door}`;
  const isFrontDoor = to.file === `src/${to.room}/index.ts` || to.file === `src/${to.room}.ts`;
  return isFrontDoor ? undefined : `${to.room} is entered by its front door`;
};

const objection = (from: Place, specifier: string): string | undefined => {
  if (specifier.startsWith('/') || specifier.startsWith('file:')) return 'a path of one machine';
  const target = resolve(from.file, specifier);
  if (target === undefined) return undefined;
  const to = placeOf(target);
  if (target.startsWith('#') || target.startsWith('..')) return 'leads nowhere';
  if (from.ground === 'src' && !rooms.has(from.room)) return `${from.room} is no room of the floor plan`;
  if (from.ground === 'src' && to.ground === 'src') return withinSrc(from, to, specifier);
  if (from.ground === to.ground || to.ground === 'root') return undefined;
  if (from.ground === 'src' && to.ground === 'sandbox' && from.room === 'cli') return undefined;
  if ((from.ground === 'src' || from.ground === 'web') && to.ground === 'test' && from.isTest) return undefined;
  // The client's types are made from the API's own description.
  if (from.file === 'scripts/client/document.ts' && specifier === '#api') return undefined;
  if (!grounds[from.ground]?.includes(to.ground)) return `${from.ground} imports nothing from ${to.ground}`;
  if (from.ground === 'bench' && measured.has(target)) return undefined;
  if (from.ground === 'web' && !from.isTest)
    return target === 'client/src/index.ts' ? undefined : 'web imports the front door of the client alone';
  return to.ground === 'src' ? throughTheDoor(to, specifier) : undefined;
};

const objections = (file: string, code: string, imports = importsOf(file, code)): string[] =>
  imports.flatMap((specifier) => {
    const reason = objection(placeOf(file), specifier);
    return reason === undefined ? [] : [`${file} imports ${specifier}: ${reason}`];
  });

const sources = globSync('{src,sandbox,client,web,test,prove,bench,scripts}/**/*.{ts,tsx,mjs}', { cwd: root });

let read: { file: string; code: string; imports: string[] }[];
beforeAll(() => {
  read = sources.map((file) => {
    const code = readFileSync(path.join(root, file), 'utf8');
    return { file, code, imports: importsOf(file, code) };
  });
});

test('every import follows the floor plan', () => {
  expect(read.flatMap(({ file, code, imports }) => objections(file, code, imports))).toEqual([]);
});

/** Packages that can be reached from a file, each with the file that names it. */
const packagesFrom = (...entries: string[]): Map<string, string> => {
  const importsIn = new Map(read.map(({ file, imports }) => [file, imports]));
  const packages = new Map<string, string>();
  const reached = new Set(entries);
  for (const file of reached) {
    for (const specifier of importsIn.get(file) ?? []) {
      const target = resolve(file, specifier);
      const [scope = '', name = ''] = specifier.split('/');
      if (target !== undefined) reached.add(target);
      else packages.set(scope.startsWith('@') ? `${scope}/${name}` : scope, file);
    }
  }
  return packages;
};

test('what runs reaches no package that is only there for those who work on it', () => {
  const reached = packagesFrom('src/cli/main.ts', 'sandbox/main.ts', 'web/src/main.tsx');

  expect([...reached.keys()]).toEqual(expect.arrayContaining(['pg', 'hono', 'react', '@tanstack/react-query']));
  const tools = Object.keys(manifest.devDependencies).filter((name) => reached.has(name));
  expect(tools.map((name) => `${reached.get(name)} imports ${name}`)).toEqual([]);
});

test('the files and imports of the whole house have been read', () => {
  const imports = read.flatMap((each) => each.imports);

  expect(sources).toContain('src/kit/index.ts');
  expect(sources.length).toBeGreaterThan(100);
  expect(imports.length).toBeGreaterThan(sources.length);
  expect(imports).toContain('#kit');
});

describe('the plan forbids', () => {
  test.each([
    ['src/kit/fault.ts', "import { store } from '#store';"],
    ['src/kit/fault.ts', "import { clock } from '#clock';"],
    ['src/store/pool.ts', "export { runs } from '#runs';"],
    ['src/store/pool.ts', "export * from '#runs';"],
    ['src/store/pool.ts', "const runs = await import('#runs');"],
    ['src/store/pool.ts', "import type { Run } from '#runs';"],
    ['src/store/pool.ts', "let run: import('#runs').Run;"],
    ['src/store/pool.ts', "const runs = require('#runs');"],
    ['src/runs/run.ts', "import { pool } from '../store/pool.ts';"],
    ['src/runs/run.ts', "import { store } from '../store/index.ts';"],
    ['src/runs/run.ts', "import { runs } from '#runs';"],
    ['src/runs/run.ts', "import { board } from '../integrations/index.ts';"],
    ['src/runs/run.ts', "import { start } from '../main.ts';"],
    ['src/runs/run.ts', "import { board } from '../../sandbox/board/server.ts';"],
    ['src/runs/run.ts', "import { workbench } from '#test';"],
    ['src/clock.ts', "import { start } from './main.ts';"],
    ['src/attic/box.ts', "import { Fault } from '#kit';"],
    ['src/integrations/board/auth.ts', "import { Card } from '../mail/shapes.ts';"],
    ['src/integrations/board/auth.ts', "import { log } from '#log';"],
    ['src/integrations/index.ts', "import { Card } from './board/shapes.ts';"],
    ['sandbox/board/server.ts', "import { Fault } from '#kit';"],
    ['sandbox/board/server.test.ts', "import { workbench } from '#test';"],
    ['web/src/app.tsx', "import { runs } from '#runs';"],
    ['web/src/app.tsx', "import { app } from '#api';"],
    ['web/src/app.tsx', "import type { Run } from '../../client/src/generated/routes.ts';"],
    ['src/runs/run.ts', "import { createClient } from '../../client/src/index.ts';"],
    ['test/journey.test.ts', "import { pool } from '../src/store/pool.ts';"],
    ['scripts/check.ts', "import { config } from '#config';"],
    ['src/runs/run.ts', "import x from '#nowhere';"],
    ['src/runs/run.ts', "import x from '/somewhere/else.ts';"],
  ])('%s: %s', (file, code) => {
    expect(objections(file, `const before = 1;\n${code}`)).toHaveLength(1);
  });
});

describe('the plan allows', () => {
  test.each([
    ['src/runs/run.ts', "import { z } from 'zod'; import { store } from '#store'; import { now } from '#clock';"],
    ['src/runs/run.ts', "import { journal } from './journal.ts';"],
    ['src/runs/run.test.ts', "import { workbench } from '#test'; import { runs } from '#runs';"],
    ['src/main.ts', "import { integrations } from './integrations/index.ts'; import { api } from '#api';"],
    ['src/cli/main.ts', "import { start } from '../main.ts'; import { board } from '../../sandbox/board/server.ts';"],
    ['src/integrations/index.ts', "import { board } from './board/index.ts';"],
    [
      'src/integrations/board/steps/create-card.ts',
      "import { Card } from '../shapes.ts'; import { path } from '#kit';",
    ],
    ['src/config/config.test.ts', "import { readConfig } from './index.ts';"],
    ['src/config/index.ts', "import { defaults } from '#clock';"],
    ['web/src/app.tsx', "import type { Run } from '../../client/src/index.ts'; const page = <p>import('#runs')</p>;"],
    ['test/workbench.ts', "import { store } from '#store'; import { board } from '../sandbox/board/server.ts';"],
  ])('%s: %s', (file, code) => {
    expect(objections(file, code)).toEqual([]);
  });
});
