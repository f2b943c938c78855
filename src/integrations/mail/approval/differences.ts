import type { Addressed, SendView } from '#kit';
import { htmlToText } from '../body/html-to-text.ts';
import { headingEnds, quotationBegins } from './answers.ts';

const addresses = (people: readonly Addressed[]): string =>
  people
    .map(({ address }) => address.toLowerCase())
    .sort()
    .join(' ');

/** The service rewrites markup and blanks; the words stay. Hidden ones count too. */
const words = (body: SendView['body']): string => {
  const source = body?.html ?? body?.text ?? '';
  const text = body?.html === undefined ? source : source.replace(/<(style|title)\b[\s\S]*?<\/\1>/gi, ' ');
  const bare = body?.html === undefined ? text : htmlToText(`<pre>${text.replace(/<[^>]*>/g, ' ')}</pre>`).all;
  return bare.replace(/[\s\u00a0]+/g, '');
};

/** Where an answer quotes, the heading above the quotation is the service's own; all that surrounds it must be the same. */
const sameWords = (approved: SendView, found: SendView): boolean => {
  const [wanted, got] = [words(approved.body), words(found.body)];
  if (wanted === got) return true;
  const html = approved.body?.html ?? '';
  const [begins, ends] = [html.lastIndexOf(quotationBegins), html.lastIndexOf(headingEnds)];
  if (begins < 0 || ends < begins) return false;
  const said = words({ text: '', html: html.slice(0, begins) });
  const quoted = words({ text: '', html: html.slice(ends) });
  const headingLength = 4_000;
  return got.startsWith(said) && got.endsWith(quoted) && got.length - said.length - quoted.length < headingLength;
};

const files = ({ attachments }: SendView): string =>
  attachments
    .map(({ name, sha256, size }) => `${name} ${sha256 ?? size}`)
    .sort()
    .join('\n');
const names = ({ attachments }: SendView): string =>
  attachments
    .map(({ name }) => name)
    .sort()
    .join('\n');

/** What a draft and what was approved do not have in common. */
export const differencesOf = (approved: SendView, found: SendView): string[] => {
  const isHashed = [...approved.attachments, ...found.attachments].every(({ sha256 }) => sha256 !== undefined);
  const enclosed = isHashed ? files : names;
  return [
    ...(approved.from === undefined || addresses([approved.from]) === addresses(found.from ? [found.from] : [])
      ? []
      : ['from']),
    ...(addresses(approved.to) === addresses(found.to) ? [] : ['to']),
    ...(addresses(approved.cc) === addresses(found.cc) ? [] : ['cc']),
    ...(addresses(approved.bcc) === addresses(found.bcc) ? [] : ['bcc']),
    ...(addresses(approved.replyTo) === addresses(found.replyTo) ? [] : ['reply-to']),
    ...((approved.subject ?? '').trim() === (found.subject ?? '').trim() ? [] : ['subject']),
    ...(sameWords(approved, found) ? [] : ['body']),
    ...(enclosed(approved) === enclosed(found) ? [] : ['attachments']),
  ];
};
