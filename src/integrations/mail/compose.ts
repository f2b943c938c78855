import { z } from 'zod';
import { wrong } from '#kit';
import { AddressText, type Addressee as Read, readAddressee } from './addressee.ts';
import { bodyIn } from './body/markup.ts';

const Addressee = z
  .union([AddressText(500), z.strictObject({ name: z.string().max(255).optional(), address: AddressText(320) })])
  .meta({ examples: ['ben@example.com', 'Ben Okafor <ben@example.com>'] });
type AddresseeInput = z.output<typeof Addressee>;

/** Addresses, each as text or with a name beside it. */
export const Addressees = z.array(Addressee).max(500);

type Addressed = Record<'to' | 'cc' | 'bcc', readonly AddresseeInput[]>;

/** Nobody is asked about a mail that the service will not take: all recipients together are at most 500. */
export const refuseCrowd = ({ to, cc, bcc }: Addressed): void => {
  const count = to.length + cc.length + bcc.length;
  if (count > 500) throw wrong(['to', 'cc', 'bcc'], `A mail takes at most 500 recipients in all, not ${count}.`);
};

const recipientOf = (given: AddresseeInput) => {
  // Others were refused where they came in.
  const read = readAddressee(typeof given === 'string' ? given : given.address) as Read;
  const name = (typeof given === 'string' ? undefined : given.name) ?? read.name;
  return { emailAddress: { ...(name === undefined ? {} : { name }), address: read.address } };
};

export const recipientsOf = (given: readonly AddresseeInput[]) => given.map(recipientOf);

export const Importance = z.enum(['low', 'normal', 'high']);
export const BodyFormat = z.enum(['text', 'html']).default('text');
export const Body = z.string().max(1_000_000);

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text as HTML that looks the same. */
export const textToHtml = (text: string): string =>
  `<div>${text
    .replace(/[&<>"]/g, (char) => escapes[char] ?? char)
    .replace(/\r\n?/g, '\n')
    .replace(/^ +| {2,}/gm, (blanks) => '&nbsp;'.repeat(blanks.length))
    .replaceAll('\n', '<br>\n')}</div>`;

/** What somebody answers, above the mail that is answered. */
export const above = (quotation: string, body: string, format: 'text' | 'html'): string => {
  const said = format === 'html' ? `<div>${body}</div>` : textToHtml(body);
  const at = bodyIn(quotation)?.from ?? 0;
  return `${quotation.slice(0, at)}${said}${quotation.slice(at)}`;
};

/** Leaves out what was not given. */
export const given = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
