import { globSync, readFileSync } from 'node:fs';
import { run } from '../../scripts/check/run-tool.ts';
import type { Proof } from '../harness/row.ts';

const root = `${import.meta.dirname}/../..`;
const numbers = /(?<=\bcases\()[\d_]+(?=\))/g;

/** The test files whose sentences are tried on more random cases than `npm test` has time for. */
const files = () =>
  globSync('{src,sandbox,test}/**/*.test.ts', { cwd: root }).flatMap((file) => {
    const found = readFileSync(`${root}/${file}`, 'utf8').match(numbers) ?? [];
    return found.length === 0 ? [] : [{ file, cases: found.map((each) => Number(each.replaceAll('_', ''))) }];
  });

/** What is said of all inputs holds for thousands of random ones. */
export const cases: Proof = {
  name: 'cases',
  about: 'sentences about all inputs hold for every random one',
  run: async ({ scale, progress }) => {
    const all = files();
    progress(`${all.length} files`);
    const environment = { EVERY_CASE: scale < 1 ? 'off' : 'on', NO_COLOR: '1' };
    const { code, stdout, stderr } = await run('node_modules/.bin/vitest', ['run', ...all.map(({ file }) => file)], {
      environment,
    });
    return {
      guarantee: 'random filters, addresses, calendars and bodies against plain references',
      tried: all.flatMap(({ cases: each }) => each).reduce((sum, each) => sum + each, 0),
      lost: 0,
      duplicated: 0,
      unknown: 0,
      objections: code === 0 ? [] : [`${stdout}${stderr}`.slice(-4_000)],
    };
  },
};
