import { z } from 'zod';
import { toldText } from './told.ts';

export const WireHeaders = z.array(z.object({ name: toldText, value: z.string().nullish() })).nullish();
type Headers = z.output<typeof WireHeaders>;

export const Authentication = z.object({
  spf: z.string().optional(),
  dkim: z.string().optional(),
  dmarc: z.string().optional(),
});

const valueOf = (headers: Headers, wanted: string): string | undefined =>
  headers?.find(({ name }) => name.toLowerCase() === wanted)?.value?.trim();

/**
 * A header without its quoted strings and comments. Those may repeat what the sender wrote, such as an address whose local
 * part reads like a result; what never closes them leaves nothing to be read.
 */
const withoutQuotations = (text: string): string => {
  const kept: string[] = [];
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === '\\') at += 1;
    else if (sign === '"' && depth === 0) isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (sign === '(') depth += 1;
    else if (sign === ')') depth = Math.max(0, depth - 1);
    else if (depth === 0) kept.push(sign);
  }
  return kept.join('');
};

/**
 * What the receiving server found out about the sender. It writes above what was there before, so only the first header
 * of the kind counts: the others may come from the sender.
 */
export const authenticationOf = (headers: Headers): z.output<typeof Authentication> | undefined => {
  const written = valueOf(headers, 'authentication-results');
  if (written === undefined) return undefined;
  const told = withoutQuotations(written);
  const result = (method: string) =>
    new RegExp(`(?:^|[;\\s])${method}\\s*=\\s*([a-z]{2,20})`, 'i').exec(told)?.[1]?.toLowerCase();
  return { spf: result('spf'), dkim: result('dkim'), dmarc: result('dmarc') };
};

const daemon = /^(?:mailer-daemon|postmaster|microsoftexchange[0-9a-f]+)@/i;

/** Whether a machine answered: an absence note, a bounce, a list. */
export const isAutomatic = (headers: Headers, from: string | undefined): boolean => {
  const submitted = valueOf(headers, 'auto-submitted');
  return (
    (submitted !== undefined && !/^no\b/i.test(submitted)) ||
    /^(?:auto_reply|bulk|junk)$/i.test(valueOf(headers, 'precedence') ?? '') ||
    ['x-autoreply', 'x-autorespond', 'x-failed-recipients'].some((name) => valueOf(headers, name) !== undefined) ||
    daemon.test(from ?? '')
  );
};
