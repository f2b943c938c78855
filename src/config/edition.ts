import { existsSync, readFileSync } from 'node:fs';
import { root } from './root.ts';

export const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string };

/** What runs here: a bundle tells what it was built from. */
export const edition = (() => {
  const stamp = new URL('dist/server/.built-from', root);
  return existsSync(stamp) ? `${version} ${readFileSync(stamp, 'utf8').trim()}` : version;
})();
