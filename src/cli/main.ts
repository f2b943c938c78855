import { enableCompileCache } from 'node:module';
import { Command } from 'commander';
import { ConfigMistake, edition, readConfig, variables } from '#config';
import type { Mode } from '../main.ts';
import { compileCache } from './compile-cache.ts';

// Before the modules of a command are read: what was compiled once is not compiled again at the next start.
enableCompileCache(compileCache);

const start = async (mode: Mode) => {
  const config = readConfig();
  return (await import('./start.ts')).start(config, mode);
};

const environment = Object.entries(variables)
  .map(([name, { about }]) => `  ${name.padEnd(18)} ${about}`)
  .join('\n');

const program = new Command('switchboard')
  .description("Lets AI agents use people's mail and boards, and proves what they did.")
  // Enough of the bundle's stamp to tell whether two machines run the same.
  .version(
    edition.replace(/(?<= [0-9a-f]{12})[0-9a-f]+$/, ''),
    '-v, --version',
    'print the version, and what it was built from',
  )
  .addHelpText('after', `\nEnvironment:\n${environment}`)
  .showHelpAfterError('(switchboard --help lists the commands)');

program
  .command('start')
  .description('everything in one process: database, API, worker, web app and, without live credentials, the sandbox')
  .action(() => start('all'));
program
  .command('api')
  .description('only the API and the web app; any number, on any machine, against one DATABASE_URL')
  .action(() => start('api'));
program
  .command('worker')
  .description('only the backlog: retries, timers, work of processes that died; any number')
  .action(() => start('worker'));
program
  .command('migrate')
  .description('bring the database to the newest version (every start does this too)')
  .action(async () => (await import('./maintenance.ts')).migrateDatabase(readConfig()));
program
  .command('sign-in-link')
  .description('print a link that signs a member in once')
  .option('--email <address>', 'whose link; default the first owner')
  .action(async ({ email }: { email?: string }) => (await import('./maintenance.ts')).signInLink(readConfig(), email));
program
  .command('keys')
  .description('the keys that seal secrets')
  .command('rotate')
  .description('add a new key and bring every stored secret under it, while Switchboard runs')
  .action(async () => (await import('./maintenance.ts')).rotateKeys(readConfig()));
program
  .command('restored')
  .description('after files of a database were copied back from a backup: nothing is done a second time')
  .action(async () => (await import('./maintenance.ts')).restored(readConfig()));
program
  .command('doctor')
  .description('check this set-up and say what to fix')
  .action(async () => (await import('./doctor.ts')).doctor(process.env));

try {
  await program.parseAsync();
} catch (error) {
  const known = error instanceof ConfigMistake;
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${known ? reason : `Switchboard stopped: ${reason}`}\n`);
  if (!known && process.env['LOG_LEVEL'] === 'debug')
    process.stderr.write(`${error instanceof Error ? error.stack : ''}\n`);
  // At once: what had been opened before a start failed must not keep it alive.
  process.exit(1);
}
