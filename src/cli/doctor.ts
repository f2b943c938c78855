import { statSync } from 'node:fs';
import { connect, createServer, isIPv6 } from 'node:net';
import pg from 'pg';
import { Agent, request } from 'undici';
import { type Config, ConfigMistake, readConfig, type SmtpSettings } from '#config';
import {
  aboutServer,
  findRunningPostgres,
  keepsConnections,
  keyRingFor,
  lackingRights,
  otherKey,
  pooledTooFar,
  type SealedSample,
  saidBy,
  sealedSamples,
  toldWhose,
  tryDataDir,
  tryKeys,
  whyNotLetIn,
} from '#store';
import { guardedConnector, NotAllowed } from '#upstream';
import { hasSandbox, withoutSandbox } from './sandbox-process.ts';

type Finding = { name: string; good: boolean; text: string };

const finding = async (name: string, check: () => Promise<string>): Promise<Finding> => {
  try {
    return { name, good: true, text: await check() };
  } catch (error) {
    return { name, good: false, text: saidBy(error) };
  }
};

/** As a start would: whoever only calls there takes an address of another machine for a free one. */
const portState = (host: string, port: number): Promise<'free' | 'taken'> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'EADDRINUSE') resolve('taken');
      else if (code === 'EACCES') reject(new Error(`port ${port} is kept for root; set PORT to one above 1023.`));
      else reject(new Error(`HOST must be an address of this machine, and ${host} is none (${code}).`));
    });
    server.listen({ host, port }, () => server.close(() => resolve('free')));
  });

/** Asks the database, if one is set or running. */
const asking = async <T>(config: Config, ask: (client: pg.Client) => Promise<T>): Promise<T | undefined> => {
  const address = config.databaseUrl ?? (await findRunningPostgres(config.dataDir));
  if (address === undefined) return undefined;
  const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return await ask(client);
  } finally {
    await client.end().catch(() => {});
  }
};

/** Whether a pooler in between lends connections to others after each transaction. */
const isLentOn = async (connectionString: string): Promise<boolean> => {
  const pool = new pg.Pool({ connectionString, max: 2, connectionTimeoutMillis: 5_000 });
  pool.on('error', () => {});
  try {
    return !(await keepsConnections(pool));
  } finally {
    await pool.end();
  }
};

const checkDatabase = async (config: Config): Promise<string> => {
  const ask = async (client: pg.Client): Promise<string> => {
    const { version, unfit } = await aboutServer(client);
    if (unfit !== undefined) throw new Error(unfit);
    const lacking = await lackingRights(client);
    if (lacking !== undefined) throw new Error(lacking);
    if (config.databaseUrl !== undefined && (await isLentOn(config.databaseUrl))) throw new Error(pooledTooFar);
    return `PostgreSQL ${version}${config.databaseUrl === undefined ? ', embedded' : ''}`;
  };
  const found = await asking(config, ask).catch((error: unknown) => {
    throw new Error(whyNotLetIn(error) ?? saidBy(error), { cause: error });
  });
  if (found === undefined) await tryDataDir(config.dataDir);
  return found ?? `embedded, under ${config.dataDir}; not running now, the next start brings it up`;
};

const checkServer = async (config: Config): Promise<string> => {
  if ((await portState(config.host, config.port)) === 'free') return `port ${config.port} is free`;
  const host = /^(?:0\.0\.0\.0|::)$/.test(config.host) ? '127.0.0.1' : config.host;
  const place = `${isIPv6(host) ? `[${host}]` : host}:${config.port}`;
  const answer = await fetch(`http://${place}/readyz`).catch(() => undefined);
  const body: unknown = await answer?.json().catch(() => undefined);
  const ours = typeof body === 'object' && body !== null && 'status' in body;
  if (!ours) throw new Error(`port ${config.port} is used by another program; stop it or set PORT.`);
  if (answer?.ok && 'database' in body && body.database === 'full')
    throw new Error(`running on port ${config.port}, but the disk of the database is full.`);
  if (answer?.ok) return `running on port ${config.port} and ready`;
  throw new Error(`running on port ${config.port} but not ready: ${JSON.stringify(body)}`);
};

/** A few of the sealed values that are stored; undefined while the embedded database does not run. */
const readSealed = (config: Config): Promise<SealedSample[] | undefined> =>
  asking(config, async (client) => {
    await client.query("select set_config('app.workspace', '*', false)");
    const lacking = await lackingRights(client);
    if (lacking !== undefined) throw new Error(lacking);
    const { rows } = await client.query<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'`,
    );
    const there = new Set(rows.map(({ name }) => name));
    const samples = sealedSamples((column) => there.has(column));
    return samples === '' ? [] : (await client.query<SealedSample>(samples)).rows;
  }).catch((error: unknown) => {
    throw new Error(`the key could not be tried: ${saidBy(error)}`);
  });

/** Opens what is stored: a wrong key would show only at the first call of each account. */
const tryKey = async (config: Config): Promise<string> => {
  const samples = await readSealed(config);
  if (samples === undefined) return '; not tried now, as the database is not running';
  const { closed } = tryKeys(keyRingFor(config), samples);
  if (closed.length > 0)
    throw new Error(`the key does not open what is stored (${closed[0]}); ${otherKey(config.encryptionKey)}.`);
  return '';
};

const checkSecrets = async (config: Config): Promise<string> => {
  if (config.encryptionKey !== undefined) return `secrets are sealed by ENCRYPTION_KEY${await tryKey(config)}`;
  const file = `${config.dataDir}/secrets/keys`;
  const stats = toldWhose(file, () => statSync(file, { throwIfNoEntry: false }));
  if (stats === undefined) {
    await tryDataDir(config.dataDir);
    const stored = (await readSealed(config)) ?? [];
    if (stored.length === 0) return `a key will be made under ${config.dataDir} at the first start`;
    throw new Error('there is no key here for what is stored; set ENCRYPTION_KEY, or DATA_DIR to where the key is.');
  }
  if ((stats.mode & 0o077) !== 0) throw new Error(`${file} can be read by others; run chmod 600 on it.`);
  const untried = await tryKey(config);
  return `secrets are sealed by the key under ${config.dataDir}; back it up with the database${untried}`;
};

const checkUpstream = (name: string, base: URL, config: Config) =>
  finding(`${name} service`, async () => {
    // By the same rules as its calls: what only we could reach would be called well, and refused at each call.
    const connect = guardedConnector({ allowPrivate: config.sandbox.enabled, timeoutMs: 5_000 });
    const dispatcher = new Agent({ connect, headersTimeout: 5_000, bodyTimeout: 5_000 });
    const failure: unknown = await request(base, { dispatcher })
      .then(({ body }) => body.dump())
      .catch((error: unknown) => error);
    await dispatcher.destroy();
    if (failure instanceof NotAllowed)
      throw new Error(`${base.origin} lies in a private network, where live mode calls nobody; name a public address.`);
    if (!(failure instanceof Error)) return `${base.origin} answers`;
    if (config.sandbox.enabled && !hasSandbox()) throw new Error(`${base.origin} does not answer: ${withoutSandbox}.`);
    if (config.sandbox.enabled) return `${base.origin} (sandbox) is not running now; "switchboard start" brings it up`;
    throw new Error(`${base.origin} does not answer; is there a proxy or firewall in between?`);
  });

/** Whether somebody answers there; who may send is told at the first mail. */
const checkMailServer = ({ host, port }: SmtpSettings): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: 5_000 });
    const fail = (why: string) => {
      socket.destroy();
      reject(new Error(`${host}:${port} does not answer (${why}); is SMTP_URL right?`));
    };
    socket.once('error', (error) => fail(saidBy(error)));
    socket.once('timeout', () => fail('not within 5 s'));
    socket.once('connect', () => {
      socket.destroy();
      resolve(`${host}:${port} answers`);
    });
  });

const checkPublicUrl = async (config: Config): Promise<string> => {
  const { publicUrl } = config;
  if (!config.sandbox.enabled && publicUrl.protocol !== 'https:') {
    throw new Error(`PUBLIC_URL is ${publicUrl.origin}; live services and browsers need https.`);
  }
  return publicUrl.origin;
};

const checkSettings = ({ sandbox, strangers }: Config): string => {
  if (strangers.length > 0)
    throw new Error(`${strangers.join(', ')}: not among the settings, and not read; "switchboard --help" lists them.`);
  return sandbox.enabled ? 'sandbox mode' : 'live mode';
};

/** Checks a set-up and says what to fix. Changes nothing. */
export const doctor = async (environment: Record<string, string | undefined>): Promise<void> => {
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    if (!(error instanceof ConfigMistake)) throw error;
    process.stdout.write(`  ✗ settings: ${error.message}\n`);
    process.exitCode = 1;
    return;
  }
  const findings = await Promise.all([
    finding('Node', async () => process.version),
    finding('settings', async () => checkSettings(config)),
    finding('database', () => checkDatabase(config)),
    finding('server', () => checkServer(config)),
    finding('secrets', () => checkSecrets(config)),
    finding('public address', () => checkPublicUrl(config)),
    ...(config.smtp === undefined ? [] : [config.smtp]).map((smtp) =>
      finding('mail to approvers', () => checkMailServer(smtp)),
    ),
    ...Object.entries(config.services).map(([name, { apiBase }]) => checkUpstream(name, apiBase, config)),
  ]);
  for (const { name, good, text } of findings) process.stdout.write(`  ${good ? '✓' : '✗'} ${name}: ${text}\n`);
  if (findings.some(({ good }) => !good)) process.exitCode = 1;
};
