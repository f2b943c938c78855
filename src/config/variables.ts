import { z } from 'zod';
import { defaultIntervals } from '#clock';
import {
  areDistinct,
  baseUrl,
  databaseUrl,
  endpointUrl,
  httpUrl,
  isOrigin,
  keyRing,
  networks,
  port,
  printable,
  smtpUrl,
  wholeNumber,
} from './values.ts';

const milliseconds = z
  .number({ error: 'an object of milliseconds, 1 or more' })
  .min(1, 'an object of milliseconds, 1 or more');
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

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
    shape: port('for the sandbox (it uses this one and the next two)', 65_533).default(4610),
    about: 'first of the three sandbox ports: mail, board, model',
  },
  SANDBOX: {
    shape: z.enum(['auto', 'on', 'off'], { error: '"auto", "on" or "off"' }).default('auto'),
    about:
      '`auto` starts the sandbox unless live credentials are set; one that is already running on its ports is used',
  },
  DEMO: {
    shape: z.enum(['auto', 'on', 'off'], { error: '"auto", "on" or "off"' }).default('auto'),
    about:
      'two mailboxes, a board and a responder in the sandbox, made at the first `npm start` and brought back at the next; `auto` makes none beside BOOTSTRAP_API_KEY',
  },
  DATA_DIR: {
    shape: z.string().min(1).default('./data'),
    about: 'where the embedded database and generated keys live',
  },
  DATABASE_URL: {
    shape: databaseUrl.optional(),
    about: 'PostgreSQL 15 or newer; without it an embedded PostgreSQL 18 is started under DATA_DIR',
  },
  PUBLIC_URL: {
    shape: httpUrl('https://switchboard.example.com')
      .refine(isOrigin, 'an address without a path, such as https://switchboard.example.com')
      .optional(),
    about: 'address under which browsers and the services reach us, without a path; default `http://127.0.0.1:$PORT`',
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
    shape: z
      .string()
      .regex(/^[\x21-\x7e]{20,200}$/, 'one word of at least 20 characters, at most 200: letters, digits and signs')
      .optional(),
    about: 'creates an owner API key with this value at first start, for automation',
  },
  SMTP_URL: {
    shape: smtpUrl.optional(),
    about:
      'mail server for notices to approvers, such as `smtp://user:password@mail.example.com:587?from=switchboard@example.com`; without it only webhooks and the screen tell them',
  },
  LOG_LEVEL: {
    shape: z.enum(logLevels, { error: `one of ${logLevels.join(', ')}` }).default('info'),
    about: 'how much is logged',
  },
  MAIL_API_URL: {
    shape: baseUrl('https://graph.microsoft.com/v1.0').optional(),
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
    shape: baseUrl('https://login.microsoftonline.com').optional(),
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
    shape: baseUrl('https://api.trello.com').optional(),
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
    shape: baseUrl('https://trello.com').optional(),
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
    shape: endpointUrl('https://auth.atlassian.com/authorize').optional(),
    about:
      'where people grant access to boards; default the sandbox, in live mode `https://auth.atlassian.com/authorize`',
  },
  BOARD_TOKEN_URL: {
    shape: endpointUrl('https://auth.atlassian.com/oauth/token').optional(),
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
    shape: baseUrl('https://api.openai.com/v1').optional(),
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
    shape: wholeNumber(5, 200, 'a number from 5 to 200').default(16),
    about:
      'the most connections that a process opens for its own work; its queue opens half as many more, 4 at least and 9 at most, of `switchboard api` up to 3',
  },
  CLOCK_OFFSET_MS: {
    shape: wholeNumber(-1e13, 1e13, 'milliseconds, such as 0 or -3600000').default(0),
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
        z.strictObject(Object.fromEntries(Object.keys(defaultIntervals).map((k) => [k, milliseconds.optional()])), {
          error: ({ code, keys }) =>
            code === 'unrecognized_keys'
              ? `without ${keys.join(', ')}: it may hold ${Object.keys(defaultIntervals).join(', ')}`
              : 'a JSON object such as {"leaseMs":2000}',
        }),
      )
      .optional(),
    about: 'for proofs only: JSON object that shortens leases, heartbeats and sweeps',
  },
} as const satisfies Record<string, { shape: z.ZodType; about: string }>;

/** What the variables say, each in its own shape. */
export type Values = { [Name in keyof typeof variables]: z.output<(typeof variables)[Name]['shape']> };
