import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
// The folders of .gitignore, for a copy of the repository that came without git.
const ignored = new Set(['.git', 'node_modules', 'data', 'dist', 'coverage', '.cache', 'test-results']);

const listedByGit = (): string[] | undefined => {
  try {
    const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\0')
      .filter((file) => file !== '' && existsSync(path.join(root, file)));
  } catch {
    return undefined;
  }
};

const foundOnDisk = (): string[] =>
  globSync('**/*', { cwd: root, withFileTypes: true, exclude: (entry) => ignored.has(entry.name) })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));

/** Every file that belongs to the repository, relative to its root. */
export const repositoryFiles = (): string[] => listedByGit() ?? foundOnDisk();
