import { flushCompileCache } from 'node:module';
import { setTimeout } from 'node:timers/promises';
import { type Config, ConfigMistake } from '#config';
import { createLog, type Log } from '#log';
import { type Mode, startSwitchboard } from '../main.ts';
import { ownDatabase } from './database.ts';
import { seedDemo } from './demo.ts';
import { requireSandbox, startSandboxProcess } from './sandbox-process.ts';

const say = (text: string): void => void process.stdout.write(text);

const impatienceMs = 1_500;

/** A start that is nearly over is ended as any other process is; one that waits for something is given up. */
const startGraceMs = 3_000;

class GivenUp extends Error {}

/** Aborted when somebody has asked to stop and a start still waits for something: a lock on a table, say. */
const giveUpAfter = (stopAsked: Promise<void>): AbortSignal => {
  const over = new AbortController();
  void stopAsked.then(() => setTimeout(startGraceMs, undefined, { ref: false })).then(() => over.abort(new GivenUp()));
  return over.signal;
};

const unless = <T>(signal: AbortSignal, starting: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    starting.then(resolve, reject);
  });

/** The first start is measured in seconds, so the two are brought up together; neither is left when the other fails. */
const bringUp = async (config: Config, withSandbox: boolean, log: Log, givenUp: AbortSignal) => {
  const failure = new AbortController();
  const signal = AbortSignal.any([givenUp, failure.signal]);
  const starts = [
    ownDatabase(config, (message, fields) => log.info(fields ?? {}, message), signal),
    withSandbox ? startSandboxProcess(config.sandbox.port, log, signal) : Promise.resolve(undefined),
  ] as const;
  for (const each of starts) each.catch((error: unknown) => failure.abort(error));
  const [database, sandbox] = await Promise.allSettled(starts);
  if (database.status === 'fulfilled' && sandbox.status === 'fulfilled') {
    return { database: database.value, sandbox: sandbox.value };
  }
  if (database.status === 'fulfilled') await database.value.close();
  if (sandbox.status === 'fulfilled') await sandbox.value?.stop();
  throw signal.reason;
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
  const givenUp = giveUpAfter(stopAsked);
  let isStarted = false;
  let opened: Awaited<ReturnType<typeof bringUp>> | undefined;
  try {
    opened = await bringUp(config, withSandbox, log, givenUp);
    const { database, sandbox } = opened;
    const starting = startSwitchboard({ config, connectionString: database.connectionString, mode, log });
    const switchboard = await unless(givenUp, starting);
    isStarted = true;
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
  } finally {
    await opened?.sandbox?.stop();
    await opened?.database.close();
  }
  // What a start still waits for must not keep it alive; whatever it began is taken over, as of a process that died.
  if (!isStarted) process.exit(0);
};
