import { resolve } from 'node:path';
import { z } from 'zod';
import { defaultIntervals, type Intervals } from './clock.ts';

const port = (what: string) =>
  z.coerce
    .number({ error: `a port number, 1 to 65535, ${what}` })
    .int(`a port number, 1 to 65535, ${what}`)
    .min(1, `a port number, 1 to 65535, ${what}`)
    .max(65_535, `a port number, 1 to 65535, ${what}`);

const httpUrl = (example: string) =>
  z.url({ protocol: /^https?$/, error: `an http or https address such as ${example}` });

const keyRing = /^(?:\d{1,6}:)?[A-Za-z0-9+/]{43}=(?:,\d{1,6}:[A-Za-z0-9+/]{43}=)*$/;

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
  SANDBOX_PORT: {
    shape: port('for the sandbox (it uses this one and the next two)').max(65_533).default(4610),
    about: 'first of the three sandbox ports: mail, board, model',
  },
  SANDBOX: {
    shape: z.enum(['auto', 'on', 'off'], { error: '"auto", "on" or "off"' }).default('auto'),
    about:
      '`auto` starts the sandbox unless live credentials are set; `on` uses one that is already running when its port is taken',
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
      .optional(),
    about: 'seals secrets at rest; without it a key is generated under DATA_DIR',
  },
  BOOTSTRAP_API_KEY: {
    shape: z.string().min(20, 'at least 20 characters').max(200).optional(),
    about: 'creates an owner API key with this value at first start, for automation',
  },
  LOG_LEVEL: {
    shape: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    about: 'how much is logged',
  },
  MAIL_API_URL: {
    shape: httpUrl('https://graph.microsoft.com/v1.0').optional(),
    about: 'base of the mail API; default the sandbox, in live mode `https://graph.microsoft.com/v1.0`',
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
  dataDir: string;
  databaseUrl: string | undefined;
  databasePool: number;
  publicUrl: URL;
  encryptionKey: string | undefined;
  bootstrapApiKey: string | undefined;
  logLevel: string;
  sandbox: { enabled: boolean; port: number };
  bases: Record<string, URL>;
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

/** The only reader of the environment. */
export const readConfig = (environment: Record<string, string | undefined> = process.env): Config => {
  const v = parse(environment);
  const live = v.BOARD_APP_KEY !== undefined;
  if (live && v.SANDBOX === 'on') {
    throw new ConfigMistake(
      'Switchboard cannot start:\n  SANDBOX must not be "on" while live credentials (BOARD_APP_KEY) are set.',
    );
  }
  const sandbox = v.SANDBOX === 'on' || (v.SANDBOX === 'auto' && !live);
  const board = v.BOARD_API_URL ?? (sandbox ? `http://127.0.0.1:${v.SANDBOX_PORT + 1}` : 'https://api.trello.com');
  const mail =
    v.MAIL_API_URL ?? (sandbox ? `http://127.0.0.1:${v.SANDBOX_PORT}/v1.0` : 'https://graph.microsoft.com/v1.0');
  return {
    port: v.PORT,
    host: v.HOST,
    dataDir: resolve(v.DATA_DIR),
    databaseUrl: v.DATABASE_URL,
    databasePool: v.DATABASE_POOL,
    publicUrl: new URL(v.PUBLIC_URL ?? `http://127.0.0.1:${v.PORT}`),
    encryptionKey: v.ENCRYPTION_KEY,
    bootstrapApiKey: v.BOOTSTRAP_API_KEY,
    logLevel: v.LOG_LEVEL,
    sandbox: { enabled: sandbox, port: v.SANDBOX_PORT },
    bases: { mail: new URL(mail), board: new URL(board) },
    clockOffsetMs: v.CLOCK_OFFSET_MS,
    intervals: { ...defaultIntervals, ...(v.INTERVALS as Partial<Intervals> | undefined) },
  };
};
