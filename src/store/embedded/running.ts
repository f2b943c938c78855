import { chooseAddress, connectionString } from './address.ts';
import { openDataDir } from './folders.ts';
import { passwordFile } from './password.ts';
import { readPidFile, runsOn } from './postmaster.ts';

/** The address of the embedded server that a running Switchboard keeps, for commands beside it. */
export const findRunningPostgres = async (dataDir: string): Promise<string | undefined> => {
  const folders = await openDataDir(dataDir);
  const found = await readPidFile(folders.pg);
  const password = await (await passwordFile(folders.data)).read();
  if (!found?.ready || password === undefined || !runsOn(found.pid, folders.pg)) return undefined;
  return connectionString({ ...(await chooseAddress(folders.run)), port: found.port }, password);
};
