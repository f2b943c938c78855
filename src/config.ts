import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import type { ServiceSettings } from '#kit';
import { defaultIntervals, type Intervals } from './clock.ts';

const port = (what: string) =>
  z.coerce
    .number({ error: `a port number, 1 to 65535, ${what}` })
    .int(`a port number, 1 to 65535, ${what}`)
    .min(1, `a port number, 1 to 65535, ${what}`)
    .max(65_535, `a port number, 1 to 65535, ${what}`);

const httpUrl = (example: string) =>
  z.url({ protocol: /^https?$/, error: `an http or https address such as ${example}` });

/** An address, or a network such as 10.0.0.0/8. */
const isNetwork = (text: string): boolean => {
  const [address = '', bits = '0', ...more] = text.split('/');
  const most = { 4: 32, 6: 128 }[isIP(address)];
  return more.length === 0 && most !== undefined && /^\d{1,3}$/.test(bits) && Number(bits) <= most;
};

const networks = z
  .string()
  .default('')
  .transform((text) => text.split(/[\s,]+/).filter((each) => each !== ''))
  .refine((all) => all.every(isNetwork), 'addresses or networks such as "127.0.0.1, 10.0.0.0/8"');

const printable = z.string().regex(/^[\x21-\x7e]{1,500}$/, 'one word of at most 500 characters');

const keyRing = /^(?:\d{1,6}:)?[A-Za-z0-9+/]{43}=(?:,\d{1,6}:[A-Za-z0-9+/]{43}=)*$/;
/** A version that stands twice would hide a key; a key that stands twice would rotate nothing. */
const areDistinct = (ring: string): boolean => {
  const entries = ring.split(',').map((entry) => (entry.includes(':') ? entry.split(':') : ['1', entry]));
  const versions = new Set(entries.map(([version]) => Number(version)));
  const keys = new Set(entries.map(([, key]) => Buffer.from(key ?? '', 'base64').toString('hex')));
  return versions.size === entries.length && keys.size === entries.length;
};

/** The operator's mail server. */
export type SmtpSettings = {
  host: string;
  port: number;
  /** TLS from the first byte; otherwise by STARTTLS. */
  secure: boolean;
  auth?: { user: string; pass: string } | undefined;
  from: string;
};

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

const smtpUrl = z.string().transform((text, context): Omit<SmtpSettings, 'from'> & { from: string | undefined } => {
  const url = URL.parse(text);
  const from = url?.searchParams.get('from') ?? undefined;
  const secure = url?.protocol === 'smtps:';
  const known = url !== null && [...url.searchParams.keys()].every((name) => name === 'from');
  const sender = from === undefined || z.email().safeParse(from).success;
  const plain = known && sender && /^\/?$/.test(url.pathname) && url.hash === '' && url.hostname !== '';
  const [user, pass] = [url?.username ?? '', url?.password ?? ''].map(decoded);
  if (!plain || !(secure || url.protocol === 'smtp:') || user === undefined || pass === undefined || !user !== !pass) {
    context.addIssue('an address such as smtp://user:password@mail.example.com:587?from=switchboard@example.com');
    return z.NEVER;
  }
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    ...(user === '' ? {} : { auth: { user, pass } }),
    from,
  };
});

/** Whom agents' models are asked of, unless an agent says otherwise. */
export type ModelSettings = {
  provider: 'openai-compatible' | 'anthropic';
  baseUrl: string;
  apiKey: string | undefined;
  /** The model of agents that name none. */
  name: string | undefined;
};

/**
 * One entry per environment variable: its shape, its default and what it is for.
 * The start, the README's table and `switchboard doctor` are made from this.
 */
export const variables = {
  PORT: { shape: port('to serve on').default(4600), about: 'port of the API, the web app and MCP' },
  HOST: {
    shape: z.string().min(1).default('127.0.0.1'),
    about: 'address to listen on; behind a TLS proxy keep the default',
  },
  TRUSTED_PROXIES: {
    shape: networks,
    about:
      'proxies whose `X-Forwarded-For` is believed, such as `127.0.0.1, 10.0.0.0/8`; without it everybody behind a proxy counts as one when sign-ins are slowed down',
  },
  SANDBOX_PORT: {
    shape: port('for the sandbox (it uses this one and the next two)').max(65_533).default(4610),
    about: 'first of the three sandbox ports: mail, board, model',
  },
  SANDBOX: {
    shape: z.enum(['auto', 'on', 'off'], { error: '"auto", "on" or "off"' }).default('auto'),
    about:
      '`auto` starts the sandbox unless live credentials are set; `on` uses one that is already running when its port is taken',
  },
  DEMO: {
    shape: z.enum(['auto', 'on', 'off'], { error: '"auto", "on" or "off"' }).default('auto'),
    about:
      'two mailboxes, a board and a responder in the sandbox, made at the first `npm start`; `auto` leaves them out beside BOOTSTRAP_API_KEY',
  },
  DATA_DIR: {
    shape: z.string().min(1).default('./data'),
    about: 'where the embedded database and generated keys live',
  },
  DATABASE_URL: {
    shape: z.url({ protocol: /^postgres(ql)?$/, error: 'a postgres:// address' }).optional(),
    about: 'PostgreSQL 15 or newer; without it an embedded PostgreSQL 18 is started under DATA_DIR',
  },
  PUBLIC_URL: {
    shape: httpUrl('https://switchboard.example.com').optional(),
    about: 'address under which browsers and the services reach us; default `http://127.0.0.1:$PORT`',
  },
  ENCRYPTION_KEY: {
    shape: z
      .string()
      .regex(keyRing, 'base64 of 32 bytes, or several as "2:<base64>,1:<base64>" with the newest first')
      .refine(areDistinct, 'keys of which each has a version of its own, and none stands twice')
      .optional(),
    about: 'seals secrets at rest; without it a key is generated under DATA_DIR',
  },
  BOOTSTRAP_API_KEY: {
    shape: z.string().min(20, 'at least 20 characters').max(200).optional(),
    about: 'creates an owner API key with this value at first start, for automation',
  },
  SMTP_URL: {
    shape: smtpUrl.optional(),
    about:
      'mail server for notices to approvers, such as `smtp://user:password@mail.example.com:587?from=switchboard@example.com`; without it only webhooks and the screen tell them',
  },
  LOG_LEVEL: {
    shape: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    about: 'how much is logged',
  },
  MAIL_API_URL: {
    shape: httpUrl('https://graph.microsoft.com/v1.0').optional(),
    about: 'base of the mail API; default the sandbox, in live mode `https://graph.microsoft.com/v1.0`',
  },
  MAIL_CLIENT_ID: {
    shape: printable.optional(),
    about: "client id of the operator's own app at the mail service; setting it switches to live mode",
  },
  MAIL_CLIENT_SECRET: {
    shape: printable.optional(),
    about: 'secret of that app; without it the app is a public client',
  },
  MAIL_AUTHORITY: {
    shape: httpUrl('https://login.microsoftonline.com').optional(),
    about:
      'identity platform of the mail service; default the sandbox, in live mode `https://login.microsoftonline.com`',
  },
  MAIL_TENANT: {
    shape: z
      .string()
      .regex(/^[\w.-]{1,100}$/, '"common", "organizations", "consumers", a tenant id or a domain')
      .default('common'),
    about: 'who may sign in: `common` (all), `organizations`, `consumers`, a tenant id or a domain',
  },
  BOARD_API_URL: {
    shape: httpUrl('https://api.trello.com').optional(),
    about: 'base of the board API; default the sandbox, in live mode `https://api.trello.com`',
  },
  BOARD_APP_KEY: {
    shape: z
      .string()
      .regex(/^[0-9a-f]{32}$/, '32 hexadecimal digits')
      .optional(),
    about: "the operator's own app key at the board service; setting it switches to live mode",
  },
  BOARD_APP_SECRET: {
    shape: printable.optional(),
    about: 'secret of that app; with it, board notifications can be verified',
  },
  BOARD_AUTH_URL: {
    shape: httpUrl('https://trello.com').optional(),
    about: 'where `/1/authorize` of the board service lives; default the sandbox, in live mode `https://trello.com`',
  },
  BOARD_CLIENT_ID: {
    shape: printable.optional(),
    about: "client id of the operator's own OAuth 2.0 app at the board service; setting it switches to live mode",
  },
  BOARD_CLIENT_SECRET: {
    shape: printable.optional(),
    about: 'secret of that OAuth 2.0 app; without it the app is a public client',
  },
  BOARD_AUTHORIZE_URL: {
    shape: httpUrl('https://auth.atlassian.com/authorize').optional(),
    about:
      'where people grant access to boards; default the sandbox, in live mode `https://auth.atlassian.com/authorize`',
  },
  BOARD_TOKEN_URL: {
    shape: httpUrl('https://auth.atlassian.com/oauth/token').optional(),
    about:
      'token endpoint of the board service; default the sandbox, in live mode `https://auth.atlassian.com/oauth/token`',
  },
  MODEL_PROVIDER: {
    shape: z
      .enum(['openai-compatible', 'anthropic'], { error: '"openai-compatible" or "anthropic"' })
      .default('openai-compatible'),
    about: "which way agents' models are asked, unless an agent says otherwise: `openai-compatible` or `anthropic`",
  },
  MODEL_API_URL: {
    shape: httpUrl('https://api.openai.com/v1').optional(),
    about: "base of the model API; default the sandbox's scripted model, with MODEL_API_KEY the provider's own",
  },
  MODEL_API_KEY: {
    shape: printable.optional(),
    about: 'key for MODEL_API_URL; it is sent nowhere else',
  },
  MODEL_NAME: {
    shape: printable.optional(),
    about: 'model of agents that name none; in the sandbox `sandbox-script`',
  },
  DATABASE_POOL: {
    shape: z.coerce
      .number({ error: 'a number from 2 to 200' })
      .int()
      .min(2, 'a number from 2 to 200')
      .max(200)
      .default(16),
    about: 'connections per process',
  },
  CLOCK_OFFSET_MS: {
    shape: z.coerce.number({ error: 'milliseconds, such as 0 or -3600000' }).default(0),
    about: 'for proofs only: moves our clock against the real one',
  },
  INTERVALS: {
    shape: z
      .string()
      .transform((text, context) => {
        try {
          return JSON.parse(text) as unknown;
        } catch {
          context.addIssue('a JSON object such as {"leaseMs":2000}');
          return z.NEVER;
        }
      })
      .pipe(
        z.strictObject(Object.fromEntries(Object.keys(defaultIntervals).map((k) => [k, z.number().min(1).optional()]))),
      )
      .optional(),
    about: 'for proofs only: JSON object that shortens leases, heartbeats and sweeps',
  },
} as const satisfies Record<string, { shape: z.ZodType; about: string }>;

type Values = { [Name in keyof typeof variables]: z.output<(typeof variables)[Name]['shape']> };

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
  /** Whether a first start sets up something to look at. */
  demo: boolean;
  /** Whom agents' models are asked of; without it each agent names its own. */
  model: ModelSettings | undefined;
  /** Each service by its integration's name: its address and the operator's registration there. */
  services: Record<string, ServiceSettings>;
  /** Without it nobody is told by mail. */
  smtp: SmtpSettings | undefined;
  clockOffsetMs: number;
  intervals: Intervals;
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

// The apps that the sandbox knows. These open nothing but a sandbox.
const sandboxApps = {
  mail: { clientId: 'switchboard-sandbox', clientSecret: 'sandbox-secret' },
  board: { clientId: 'sandbox-board-client', clientSecret: 'sandbox-board-client-secret' },
  boardApp: {
    appKey: 'ada5a11db0a2d0000000000000000001',
    appSecret: 'ada5ec2e7000000000000000000000000000000000000000000000000000a001',
  },
};

/** An app registered by the operator, or the sandbox's own. */
const appOf = (id: string | undefined, secret: string | undefined, own: typeof sandboxApps.mail | undefined) =>
  id === undefined ? own : { clientId: id, clientSecret: secret };

const mailService = (v: Values, sandbox: boolean): ServiceSettings => {
  const local = `http://127.0.0.1:${v.SANDBOX_PORT}`;
  const authority = (v.MAIL_AUTHORITY ?? (sandbox ? local : 'https://login.microsoftonline.com')).replace(/\/+$/, '');
  const app = appOf(v.MAIL_CLIENT_ID, v.MAIL_CLIENT_SECRET, sandbox ? sandboxApps.mail : undefined);
  const endpoint = (name: string) => new URL(`${authority}/${v.MAIL_TENANT}/oauth2/v2.0/${name}`);
  return {
    apiBase: new URL(v.MAIL_API_URL ?? (sandbox ? `${local}/v1.0` : 'https://graph.microsoft.com/v1.0')),
    ...(app && {
      oauth: {
        ...app,
        authorizeUrl: endpoint('authorize'),
        tokenUrl: endpoint('token'),
        issuer: `${authority}/{tenantid}/v2.0`,
      },
    }),
  };
};

const boardService = (v: Values, sandbox: boolean): ServiceSettings => {
  const local = `http://127.0.0.1:${v.SANDBOX_PORT + 1}`;
  const app = appOf(v.BOARD_CLIENT_ID, v.BOARD_CLIENT_SECRET, sandbox ? sandboxApps.board : undefined);
  const given = { appKey: v.BOARD_APP_KEY, appSecret: v.BOARD_APP_SECRET };
  const { appKey, appSecret } = sandbox ? sandboxApps.boardApp : given;
  const [authorize, token] = sandbox
    ? [`${local}/oauth/authorize`, `${local}/oauth/token`]
    : ['https://auth.atlassian.com/authorize', 'https://auth.atlassian.com/oauth/token'];
  const authUrl = v.BOARD_AUTH_URL ?? (sandbox ? local : 'https://trello.com');
  return {
    apiBase: new URL(v.BOARD_API_URL ?? (sandbox ? local : 'https://api.trello.com')),
    pages: new URL(authUrl),
    ...(app && {
      oauth: {
        ...app,
        authorizeUrl: new URL(v.BOARD_AUTHORIZE_URL ?? authorize),
        tokenUrl: new URL(v.BOARD_TOKEN_URL ?? token),
      },
    }),
    ...(appKey !== undefined && { fragment: { base: new URL(authUrl), appKey, appSecret } }),
  };
};

const publicModels = { 'openai-compatible': 'https://api.openai.com/v1', anthropic: 'https://api.anthropic.com/v1' };

const modelSettings = (v: Values, sandbox: boolean): ModelSettings | undefined => {
  const { MODEL_PROVIDER: provider, MODEL_API_KEY: apiKey, MODEL_API_URL: url, MODEL_NAME: name } = v;
  if (url !== undefined) return { provider, baseUrl: url, apiKey, name };
  if (apiKey !== undefined) return { provider, baseUrl: publicModels[provider], apiKey, name };
  if (!sandbox) return undefined;
  const baseUrl = `http://127.0.0.1:${v.SANDBOX_PORT + 2}/v1`;
  return { provider: 'openai-compatible', baseUrl, apiKey, name: name ?? 'sandbox-script' };
};

// Mail addresses do not end in bare numbers.
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
  const demo = sandbox && (v.DEMO === 'on' || (v.DEMO === 'auto' && v.BOOTSTRAP_API_KEY === undefined));
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
    demo,
    model: modelSettings(v, sandbox),
    services: { mail: mailService(v, sandbox), board: boardService(v, sandbox) },
    smtp: v.SMTP_URL && { ...v.SMTP_URL, from: v.SMTP_URL.from ?? `switchboard@${domainOf(publicUrl)}` },
    clockOffsetMs: v.CLOCK_OFFSET_MS,
    intervals: { ...defaultIntervals, ...(v.INTERVALS as Partial<Intervals> | undefined) },
  };
};
