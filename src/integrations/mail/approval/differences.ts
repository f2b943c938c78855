import type { Addressed, Enclosed, SendView } from '#kit';
import { htmlToText } from '../body/html-to-text.ts';
import { withoutInvisible } from '../body/invisible.ts';
import { withoutElements, withoutTags } from '../body/markup.ts';
import { headingEnds, quotationBegins } from './answers.ts';
import { targetsIn } from './targets.ts';

const addresses = (people: readonly Addressed[]): string =>
  people
    .map(({ address }) => address.toLowerCase())
    .sort()
    .join(' ');

/** The service rewrites markup and blanks; the words stay. Hidden ones count too. */
const words = (body: SendView['body']): string => {
  const source = body?.html ?? body?.text ?? '';
  const text = body?.html === undefined ? source : withoutElements(source, 'style', 'title');
  // Of markup no sign is left that is not seen; plain text is given back as markup.
  const bare = body?.html === undefined ? withoutInvisible(text) : htmlToText(`<pre>${withoutTags(text)}</pre>`).all;
  return bare.replace(/[\s\u00a0]+/g, '');
};

/** Said above a quotation, and quoted: of the imagined draft of an answer, all but the heading that the service writes. */
const aroundHeading = ({ body }: SendView): [said: string, quoted: string] | undefined => {
  const html = body?.html ?? '';
  const [begins, ends] = [html.lastIndexOf(quotationBegins), html.lastIndexOf(headingEnds)];
  return begins < 0 || ends < begins ? undefined : [html.slice(0, begins), html.slice(ends)];
};

const longestHeading = 4_000;

const sameWords = (approved: SendView, found: SendView): boolean => {
  const got = words(found.body);
  if (words(approved.body) === got) return true;
  const [said, quoted] = aroundHeading(approved)?.map((html) => words({ text: '', html })) ?? [];
  if (said === undefined || quoted === undefined) return false;
  return got.startsWith(said) && got.endsWith(quoted) && got.length - said.length - quoted.length < longestHeading;
};

const same = (a: readonly string[], b: readonly string[]): boolean => a.join('\n') === b.join('\n');

/** The same words can lead elsewhere. A heading leads to nobody but those it names. */
const sameTargets = (approved: SendView, found: SendView): boolean => {
  const got = targetsIn(found.body?.html ?? '');
  if (approved.body?.html === undefined) return got.every((each) => approved.body?.text.includes(each));
  if (same(targetsIn(approved.body.html), got)) return true;
  const [said, quoted] = aroundHeading(approved)?.map(targetsIn) ?? [];
  if (said === undefined || quoted === undefined || got.length < said.length + quoted.length) return false;
  const ends = got.length - quoted.length;
  return (
    same(said, got.slice(0, said.length)) &&
    same(quoted, got.slice(ends)) &&
    got.slice(said.length, ends).every((each) => /^mailto:/i.test(each))
  );
};

// The size in the mailbox includes a little of the service's own.
const spareBytes = 2_048;
const sameFile = (one: Enclosed, other: Enclosed): boolean => {
  if (one.name !== other.name) return false;
  if (one.sha256 !== undefined && other.sha256 !== undefined) return one.sha256 === other.sha256;
  if (one.id !== undefined && other.id !== undefined) return one.id === other.id;
  return Math.abs((one.size ?? 0) - (other.size ?? 0)) < spareBytes;
};
const sameFiles = (approved: readonly Enclosed[], found: readonly Enclosed[]): boolean => {
  const left = [...found];
  for (const each of approved) {
    const at = left.findIndex((other) => sameFile(each, other));
    if (at >= 0) left.splice(at, 1);
    else if (each.carried !== true) return false;
  }
  return left.length === 0;
};

const receipts = ['isreadreceiptrequested', 'isdeliveryreceiptrequested'];
const sameReceipts = (approved: SendView, found: SendView): boolean =>
  receipts.every((name) => (approved.fields[name] === true) === (found.fields[name] === true));

/** What a draft and what was approved do not have in common. */
export const differencesOf = (approved: SendView, found: SendView): string[] => [
  ...(approved.from === undefined || addresses([approved.from]) === addresses(found.from ? [found.from] : [])
    ? []
    : ['from']),
  ...(addresses(approved.to) === addresses(found.to) ? [] : ['to']),
  ...(addresses(approved.cc) === addresses(found.cc) ? [] : ['cc']),
  ...(addresses(approved.bcc) === addresses(found.bcc) ? [] : ['bcc']),
  ...(addresses(approved.replyTo) === addresses(found.replyTo) ? [] : ['reply-to']),
  ...((approved.subject ?? '').trim() === (found.subject ?? '').trim() ? [] : ['subject']),
  ...(sameWords(approved, found) && sameTargets(approved, found) ? [] : ['body']),
  ...(sameFiles(approved.attachments, found.attachments) ? [] : ['attachments']),
  ...(sameReceipts(approved, found) ? [] : ['receipts']),
];
