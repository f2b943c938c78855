import { expect, test } from 'vitest';
import { machineTracesIn } from './machine-traces.ts';

const line = (...parts: string[]) => parts.join('/');

test.each([
  ['a home folder', `see ${line('', 'home', 'ada', 'notes')}`],
  ['a quoted temporary folder', `const file = '${line('', 'tmp', 'x.json')}'`],
  ['a locked download address', `"resolved": "${line('https:', '', 'npm.example', 'a.tgz')}"`],
  ['a registry', ['registry', 'example', 'org'].join('.')],
])('%s is found, with its line number', (_, text) => {
  expect(machineTracesIn(`first line\n${text}`)).toEqual([expect.stringMatching(/^2: /)]);
});

test.each([
  ['an upstream address', line('', 'v1.0', 'me', 'drive', 'root', 'children')],
  ['an address with a host', line('http:', '', '127.0.0.1:4600', 'home', 'page')],
  ['a relative path', line('.', 'work', 'notes')],
])('%s is no trace', (_, text) => {
  expect(machineTracesIn(text)).toEqual([]);
});
