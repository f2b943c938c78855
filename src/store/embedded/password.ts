import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

export type PasswordFile = {
  path: string;
  read(): Promise<string | undefined>;
  write(password: string): Promise<void>;
};

export const newPassword = () => randomBytes(32).toString('base64url');

/** Kept in the folder of our own secrets, which the database's user cannot enter. */
export const passwordFile = async (dataDir: string): Promise<PasswordFile> => {
  const folder = join(dataDir, 'secrets');
  const path = join(folder, 'pg-password');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  return {
    path,
    async read() {
      try {
        await chmod(path, 0o600);
        return (await readFile(path, 'utf8')).trim() || undefined;
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async write(password) {
      const file = await open(`${path}.new`, 'w', 0o600);
      await file.writeFile(`${password}\n`);
      await file.sync();
      await file.close();
      await rename(`${path}.new`, path);
    },
  };
};
