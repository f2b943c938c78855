import { existsSync } from 'node:fs';
import { chooseAddress, connectionString } from './address.ts';
import { openDataDir } from './folders.ts';
import { passwordFile } from './password.ts';
import { readPidFile, runsOn } from './postmaster.ts';

/** The address of the embedded server that a running Switchboard keeps, for commands beside it. Looking makes nothing. */
export const findRunningPostgres = async (dataDir: string): Promise<string | undefined> => {
  if (!existsSync(dataDir)) return undefined;
  const folders = await openDataDir(dataDir);
  const found = await readPidFile(folders.pg);
  if (!found?.ready) return undefined;
  const password = await (await passwordFile(folders.data)).read();
  if (password === undefined || !runsOn(found.pid, folders.pg)) return undefined;
  return connectionString({ ...(await chooseAddress(folders.run)), port: found.port }, password);
};
