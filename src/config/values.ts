import { isIP } from 'node:net';
import { z } from 'zod';

/** A number as people write it: Number() would also read "0x1000", "1e3" and " 80 ". */
export const wholeNumber = (least: number, most: number, told: string) =>
  z
    .string({ error: told })
    .regex(/^(?:0|-?[1-9]\d{0,14})$/, told)
    .transform(Number)
    .refine((number) => number >= least && number <= most, told);

export const port = (what: string, most = 65_535) => wholeNumber(1, most, `a port number, 1 to ${most}, ${what}`);

export const httpUrl = (example: string) =>
  z.url({ protocol: /^https?$/, error: `an http or https address such as ${example}` });

const hasPassword = (text: string): boolean => {
  const { username = '', password = '' } = URL.parse(text) ?? {};
  return username !== '' || password !== '';
};

/** An address that others are made from: what stands behind it would end up in the middle of theirs, or nowhere. */
export const baseUrl = (example: string) =>
  httpUrl(example).refine(
    (text) => !/[?#]/.test(text) && !hasPassword(text),
    `an address without a query, a fragment or a password, such as ${example}`,
  );

/** An address that is called as it is. */
export const endpointUrl = (example: string) =>
  httpUrl(example).refine(
    (text) => !text.includes('#') && !hasPassword(text),
    `an address without a fragment or a password, such as ${example}`,
  );

const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** The driver passes over a name that it does not know, and would go on without TLS. */
const asksForTlsRightly = (text: string): boolean =>
  [...(URL.parse(text)?.searchParams ?? [])]
    .filter(([name]) => /^ssl[-_]?mode$/i.test(name))
    .every(([name, word]) => name === 'sslmode' && sslModes.includes(word));

/** A word that asks for TLS means the strictest, as it does in the driver now; one of its next versions would ask for less. */
export const databaseUrl = z
  .url({
    protocol: /^postgres(ql)?$/,
    error: 'a postgres:// address of one server such as postgres://user:password@db.example.com:5432/switchboard',
  })
  .refine(asksForTlsRightly, `an address whose sslmode is written so, and is one of ${sslModes.join(', ')}`)
  .transform((text) =>
    /[?&]uselibpqcompat=true(?=&|$)/.test(text)
      ? text
      : text.replace(/(?<=[?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, 'verify-full'),
  );

/** All that we offer is found from the top: a path would be left out of every link. */
export const isOrigin = (text: string): boolean => {
  const url = URL.parse(text);
  return url === null || (/^https?:/.test(url.protocol) && url.href === `${url.origin}/`);
};

/** An address, or a network such as 10.0.0.0/8. */
const isNetwork = (text: string): boolean => {
  const [address = '', bits = '0', ...more] = text.split('/');
  const most = { 4: 32, 6: 128 }[isIP(address)];
  return more.length === 0 && most !== undefined && /^\d{1,3}$/.test(bits) && Number(bits) <= most;
};

export const networks = z
  .string()
  .default('')
  .transform((text) => text.split(/[\s,]+/).filter((each) => each !== ''))
  .refine((all) => all.every(isNetwork), 'addresses or networks such as "127.0.0.1, 10.0.0.0/8"');

export const printable = z.string().regex(/^[\x21-\x7e]{1,500}$/, 'one word of at most 500 characters');

export const keyRing = /^(?:\d{1,6}:)?[A-Za-z0-9+/]{43}=(?:,\d{1,6}:[A-Za-z0-9+/]{43}=)*$/;
/** A version that stands twice would hide a key; a key that stands twice would rotate nothing. */
export const areDistinct = (ring: string): boolean => {
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

export const smtpUrl = z
  .string()
  .transform((text, context): Omit<SmtpSettings, 'from'> & { from: string | undefined } => {
    const url = URL.parse(text);
    const from = url?.searchParams.get('from') ?? undefined;
    const secure = url?.protocol === 'smtps:';
    const known = url !== null && [...url.searchParams.keys()].every((name) => name === 'from');
    const sender = from === undefined || z.email().safeParse(from).success;
    const plain = known && sender && /^\/?$/.test(url.pathname) && url.hash === '' && url.hostname !== '';
    const [user, pass] = [url?.username ?? '', url?.password ?? ''].map(decoded);
    if (
      !plain ||
      !(secure || url.protocol === 'smtp:') ||
      user === undefined ||
      pass === undefined ||
      !user !== !pass
    ) {
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
