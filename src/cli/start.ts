import { flushCompileCache } from 'node:module';
import { setTimeout } from 'node:timers/promises';
import { type Config, ConfigMistake } from '#config';
import { createLog } from '#log';
import { type Mode, startSwitchboard } from '../main.ts';
import { ownDatabase } from './database.ts';
import { seedDemo } from './demo.ts';
import { requireSandbox, startSandboxProcess } from './sandbox-process.ts';

const say = (text: string): void => void process.stdout.write(text);

const impatienceMs = 1_500;

/** A start that is nearly over is ended as any other process is; one that waits for something is given up. */
const startGraceMs = 3_000;

class GivenUp extends Error {}

/** What is begun, unless somebody asks to stop while it waits for something: a lock on a table, say. */
const unlessAskedToStop = async <T>(starting: Promise<T>, stopAsked: Promise<void>): Promise<T> => {
  const over = new AbortController();
  const givenUp = stopAsked.then(async (): Promise<never> => {
    await setTimeout(startGraceMs, undefined, { signal: over.signal });
    throw new GivenUp();
  });
  givenUp.catch(() => undefined);
  try {
    return await Promise.race([starting, givenUp]);
  } finally {
    over.abort();
  }
};

/** A terminal, npm and a service manager may each pass the same signal on, so only a later one means "at once". */
const untilAskedToStop = (): Promise<void> =>
  new Promise((resolve) => {
    let asked: number | undefined;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (asked !== undefined && performance.now() - asked > impatienceMs) process.exit(1);
        asked ??= performance.now();
        resolve();
      });
    }
  });

/** Runs until asked to stop, then drains. */
export const start = async (config: Config, mode: Mode): Promise<void> => {
  if (mode !== 'all' && config.databaseUrl === undefined) {
    throw new ConfigMistake(
      `Switchboard cannot start:\n  DATABASE_URL must be set for "switchboard ${mode}": its processes share one database.`,
    );
  }
  const withSandbox = mode === 'all' && config.sandbox.enabled;
  if (withSandbox) await requireSandbox(config.sandbox.port);
  const log = createLog(config.logLevel);
  if (config.strangers.length > 0) {
    log.warn({ variables: config.strangers }, 'these variables look like settings, but are none; they are not read');
  }
  const stopAsked = untilAskedToStop();
  const ending = new AbortController();
  let givenUp = false;
  // The first start is measured in seconds, so the two are brought up together.
  const [database, sandbox] = await Promise.all([
    ownDatabase(config, (message, fields) => log.info(fields ?? {}, message)),
    withSandbox ? startSandboxProcess(config.sandbox.port, log) : undefined,
  ]);
  try {
    const { connectionString } = database;
    const starting = startSwitchboard({ config, connectionString, mode, log });
    const switchboard = await unlessAskedToStop(starting, stopAsked);
    flushCompileCache();
    if (mode === 'all') {
      say(`\n  Switchboard   ${config.publicUrl.href}\n  Sign in       ${await switchboard.signInLink()}\n`);
      say(`  API           ${new URL('/docs', config.publicUrl).href}\n`);
      if (sandbox !== undefined) say(`  Sandbox       ${sandbox.addresses.join('  ')}\n`);
      say('\n');
    }
    const seeding =
      sandbox !== undefined && config.demo !== 'none'
        ? seedDemo(
            {
              origin: `http://127.0.0.1:${switchboard.port}`,
              publicOrigin: config.publicUrl.origin,
              signInLink: await switchboard.signInLink(),
              sandboxPort: config.sandbox.port,
              automation: config.demo === 'kept' ? config.bootstrapApiKey : undefined,
              signal: ending.signal,
            },
            log,
          )
        : undefined;
    await stopAsked;
    ending.abort();
    await seeding;
    log.info('stopping: finishing what is under way');
    await switchboard.stop();
  } catch (error) {
    if (error instanceof GivenUp) log.info('stopping: asked to before the start was over');
    // What goes away now goes because of us; the reason is told once.
    log.level = 'silent';
    if (!(error instanceof GivenUp)) throw error;
    givenUp = true;
  } finally {
    await sandbox?.stop();
    await database.close();
  }
  // What the start still waits for must not keep it alive; whatever it began is taken over, as of a process that died.
  if (givenUp) process.exit(0);
};
