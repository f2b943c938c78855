import { resolve } from 'node:path';
import { defaultIntervals, type Intervals } from '#clock';
import type { ServiceSettings } from '#kit';
import { boardService, type ModelSettings, mailService, modelSettings } from './services.ts';
import type { SmtpSettings } from './values.ts';
import { type Values, variables } from './variables.ts';

export { edition, version } from './edition.ts';
export { root } from './root.ts';
export { sandboxAddresses } from './sandbox-addresses.ts';
export type { ModelSettings } from './services.ts';
export type { SmtpSettings } from './values.ts';
export { variables } from './variables.ts';

export type Config = {
  port: number;
  host: string;
  /** Addresses and networks of proxies in front of us. */
  trustedProxies: readonly string[];
  dataDir: string;
  databaseUrl: string | undefined;
  databasePool: number;
  publicUrl: URL;
  encryptionKey: string | undefined;
  bootstrapApiKey: string | undefined;
  logLevel: string;
  sandbox: { enabled: boolean; port: number };
  /** Whether a first start sets up something to look at, or only what is there already is brought back. */
  demo: 'made' | 'kept' | 'none';
  /** Whom agents' models are asked of; without it each agent names its own. */
  model: ModelSettings | undefined;
  /** Each service by its integration's name: its address and the operator's registration there. */
  services: Record<string, ServiceSettings>;
  /** Without it nobody is told by mail. */
  smtp: SmtpSettings | undefined;
  clockOffsetMs: number;
  intervals: Intervals;
  /** Variables that look like settings and are none: a slip of the pen would go unnoticed. */
  strangers: readonly string[];
};

/** A start refused for its settings; the message names each variable and what it should be. */
export class ConfigMistake extends Error {}

const parse = (environment: Record<string, string | undefined>): Values => {
  const values: Record<string, unknown> = {};
  const mistakes: string[] = [];
  for (const [name, { shape }] of Object.entries(variables)) {
    const given = environment[name];
    const result = shape.safeParse(given === '' ? undefined : given);
    if (result.success) values[name] = result.data;
    // The value itself is not repeated: it may be a secret.
    else mistakes.push(`${name} must be ${result.error.issues.map((issue) => issue.message).join('; ')}.`);
  }
  if (mistakes.length > 0) throw new ConfigMistake(`Switchboard cannot start:\n  ${mistakes.join('\n  ')}`);
  return values as Values;
};

const ownWords = /^(?:MAIL|BOARD|MODEL|SANDBOX)_/;

const strangersIn = (environment: Record<string, string | undefined>): string[] =>
  Object.keys(environment).filter((name) => ownWords.test(name) && !Object.hasOwn(variables, name));

const liveNames = [
  'MAIL_CLIENT_ID',
  'MAIL_CLIENT_SECRET',
  'BOARD_APP_KEY',
  'BOARD_APP_SECRET',
  'BOARD_CLIENT_ID',
  'BOARD_CLIENT_SECRET',
] as const satisfies readonly (keyof Values)[];

const refuseStart = (mistake: string): never => {
  throw new ConfigMistake(`Switchboard cannot start:\n  ${mistake}`);
};

const domainOf = ({ hostname }: URL): string => (/[a-z]$/i.test(hostname) ? hostname : 'localhost');

/** The only reader of the environment. */
export const readConfig = (environment: Record<string, string | undefined> = process.env): Config => {
  const v = parse(environment);
  const live = liveNames.filter((name) => v[name] !== undefined);
  if (live.length > 0 && v.SANDBOX === 'on') {
    refuseStart(`SANDBOX must not be "on" while live credentials (${live.join(', ')}) are set.`);
  }
  for (const [secret, owner] of [
    ['MAIL_CLIENT_SECRET', 'MAIL_CLIENT_ID'],
    ['BOARD_CLIENT_SECRET', 'BOARD_CLIENT_ID'],
    ['BOARD_APP_SECRET', 'BOARD_APP_KEY'],
  ] as const) {
    if (v[secret] !== undefined && v[owner] === undefined) refuseStart(`${owner} must be set beside ${secret}.`);
  }
  const sandbox = v.SANDBOX === 'on' || (v.SANDBOX === 'auto' && live.length === 0);
  const place = v.PORT - v.SANDBOX_PORT;
  if (sandbox && place >= 0 && place <= 2) {
    refuseStart('PORT must be none of the three ports of the sandbox, which begin at SANDBOX_PORT.');
  }
  const demo = v.DEMO === 'auto' && v.BOOTSTRAP_API_KEY !== undefined ? 'kept' : 'made';
  const publicUrl = new URL(v.PUBLIC_URL ?? `http://127.0.0.1:${v.PORT}`);
  return {
    port: v.PORT,
    host: v.HOST,
    trustedProxies: v.TRUSTED_PROXIES,
    dataDir: resolve(v.DATA_DIR),
    databaseUrl: v.DATABASE_URL,
    databasePool: v.DATABASE_POOL,
    publicUrl,
    encryptionKey: v.ENCRYPTION_KEY,
    bootstrapApiKey: v.BOOTSTRAP_API_KEY,
    logLevel: v.LOG_LEVEL,
    sandbox: { enabled: sandbox, port: v.SANDBOX_PORT },
    demo: sandbox && v.DEMO !== 'off' ? demo : 'none',
    model: modelSettings(v, sandbox),
    services: { mail: mailService(v, sandbox), board: boardService(v, sandbox) },
    smtp: v.SMTP_URL && { ...v.SMTP_URL, from: v.SMTP_URL.from ?? `switchboard@${domainOf(publicUrl)}` },
    clockOffsetMs: v.CLOCK_OFFSET_MS,
    intervals: { ...defaultIntervals, ...(v.INTERVALS as Partial<Intervals> | undefined) },
    strangers: strangersIn(environment),
  };
};
