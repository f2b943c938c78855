import { bodyIn } from '../body/markup.ts';
import { textToHtml } from '../compose.ts';
import type { Action, StoredMessage } from './stored-message.ts';

type People = NonNullable<StoredMessage['toRecipients']>;

const addressIn = (each: People[number]): string => (each.emailAddress?.address ?? '').toLowerCase();

const without = (people: People, gone: People): People => {
  const known = new Set(gone.map(addressIn));
  return people.filter((each) => !known.has(addressIn(each)));
};

const listed = (people: People): string =>
  people.map(({ emailAddress }) => `${emailAddress?.name ?? ''} <${emailAddress?.address ?? ''}>`.trim()).join('; ');

/** Whom the service addresses by itself. Where the original names somebody for answers, they get them. */
const targets = (action: Action, original: StoredMessage, own: string | undefined) => {
  if (action === 'forward') return { toRecipients: [], ccRecipients: [] };
  const { replyTo, from, toRecipients, ccRecipients } = original;
  const back: People = replyTo && replyTo.length > 0 ? replyTo : from ? [from] : [];
  if (action === 'reply') return { toRecipients: back, ccRecipients: [] };
  const self: People = own === undefined ? [] : [{ emailAddress: { address: own } }];
  const others = without(toRecipients ?? [], [...self, ...back]);
  return {
    toRecipients: [...back, ...others],
    ccRecipients: without(ccRecipients ?? [], [...self, ...back, ...others]),
  };
};

const subjectOf = (action: Action, { subject }: StoredMessage): string => {
  const prefix = action === 'forward' ? 'FW: ' : 'RE: ';
  return (subject ?? '').toUpperCase().startsWith(prefix) ? (subject ?? '') : `${prefix}${subject ?? ''}`;
};

/** Where in an imagined answer the quotation begins. */
export const quotationBegins = '<hr data-quoted>';
/** Where its heading ends. */
export const headingEnds = '<br data-quoted>';

/** What is answered, as the service quotes it: its heading is the service's own, its text is this. */
const quotation = ({ from, toRecipients, subject, body }: StoredMessage): string => {
  const head = [
    ...(from ? [`From: ${listed([from])}`] : []),
    `To: ${listed(toRecipients ?? [])}`,
    `Subject: ${subject ?? ''}`,
  ];
  const content = body?.content ?? '';
  const html = body?.contentType?.toLowerCase() === 'html' ? content : textToHtml(content);
  const { from: begins, to: ends } = bodyIn(html) ?? {};
  const inner = html.slice(begins, ends);
  return `<html><body>${quotationBegins}${textToHtml(head.join('\n'))}${headingEnds}${inner}</body></html>`;
};

/** Copies get ids of their own. */
const copied = (attachments: StoredMessage['attachments']) =>
  attachments.map((each) => {
    if (!('id' in each)) return each;
    const { id, ...rest } = each;
    return { ...rest, copyOf: id };
  });

/**
 * The draft that the service makes to answer or forward a message, as far as that is known beforehand. `own` is the address
 * of the mailbox that answers.
 */
export const imagineAnswer = (action: Action, original: StoredMessage, own: string | undefined) => ({
  ...targets(action, original, own),
  subject: subjectOf(action, original),
  body: { contentType: 'html', content: quotation(original) },
  attachments:
    action === 'forward'
      ? copied(original.attachments)
      : copied(original.attachments.filter(({ isInline }) => isInline)).map((each) => ({
          ...each,
          carried: true as const,
        })),
});
