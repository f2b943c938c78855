import { sameName } from '#kit';
import { quoted } from './collect.ts';
import type { WireMessage } from './shapes.ts';

/** What somebody looks for, in words of our own. */
export type Wanted = {
  query?: string | undefined;
  keywords: readonly string[];
  subject?: string | undefined;
  sender: readonly string[];
  recipient: readonly string[];
  attachmentName: readonly string[];
  hasAttachments?: boolean | undefined;
  importance?: 'low' | 'normal' | 'high' | undefined;
  isRead?: boolean | undefined;
  label?: string | undefined;
  conversationId?: string | undefined;
  receivedAfter?: Date | undefined;
  receivedBefore?: Date | undefined;
  order: 'newest' | 'oldest';
};

export type MessageQuery = {
  how: 'search' | 'filter';
  query: Record<string, string | number>;
  /** What the service could not be asked exactly, asked again of each message it found. */
  fits(message: WireMessage): boolean;
};

const wholeAddress = /^[^\s@"<>*]+@[^\s@"<>*]+\.[^\s@"<>*]+$/;
const phrase = (text: string): string => `"${text.replace(/["\\]+/g, ' ').trim()}"`;
/** The service takes a bare domain for everybody in it, and no star in front. */
const person = (text: string): string => text.trim().replace(/^\*?@?(?=[^\s@]+\.[^\s@]+$)|^\*/, '');

const anyOf = (property: string, values: readonly string[]): string[] => {
  const terms = values.map((value) => `${property}:${phrase(person(value))}`);
  return terms.length > 1 ? [`(${terms.join(' OR ')})`] : terms;
};

const day = (date: Date): string => date.toISOString().slice(0, 10);

const search = (wanted: Wanted): string => {
  const { query, hasAttachments, importance, isRead, label, receivedAfter, receivedBefore } = wanted;
  const said = query?.trim().replace(/\b(from|to|cc|bcc|participants|recipients):\*@?/gi, '$1:');
  return [
    ...(said === undefined || said === '' ? [] : [`(${said})`]),
    ...wanted.keywords.map(phrase),
    ...(wanted.subject === undefined ? [] : [`subject:${phrase(wanted.subject)}`]),
    ...anyOf('from', wanted.sender),
    ...anyOf('recipients', wanted.recipient),
    ...anyOf('attachment', wanted.attachmentName),
    ...(hasAttachments === undefined ? [] : [`hasAttachments:${hasAttachments}`]),
    // The search calls the middle importance by another name than the message does.
    ...(importance === undefined ? [] : [`importance:${importance === 'normal' ? 'medium' : importance}`]),
    ...(isRead === undefined ? [] : [`isread:${isRead}`]),
    ...(label === undefined ? [] : [`category:${phrase(label)}`]),
    // Only days can be searched for, in a zone that is not documented: one more on each side, then the exact time by us.
    ...(receivedAfter === undefined ? [] : [`received>=${day(new Date(receivedAfter.getTime() - 86_400_000))}`]),
    ...(receivedBefore === undefined ? [] : [`received<=${day(new Date(receivedBefore.getTime() + 86_400_000))}`]),
  ].join(' AND ');
};

/** The service tells when a message came in whole seconds: of a part of one, the next is the first that is not before it. */
const second = (date: Date): string =>
  new Date(Math.ceil(date.getTime() / 1_000) * 1_000).toISOString().replace(/\.000Z$/, 'Z');

const filter = (wanted: Wanted): string => {
  const { hasAttachments, importance, isRead, label, conversationId, receivedAfter, receivedBefore } = wanted;
  const senders = wanted.sender.map((address) => `from/emailAddress/address eq ${quoted(address.trim())}`);
  return [
    // What is ordered by must also be filtered by, before everything else; else the service refuses.
    `receivedDateTime ge ${second(receivedAfter ?? new Date('1900-01-01T00:00:00Z'))}`,
    ...(receivedBefore === undefined ? [] : [`receivedDateTime lt ${second(receivedBefore)}`]),
    ...(senders.length > 1 ? [`(${senders.join(' or ')})`] : senders),
    ...(hasAttachments === undefined ? [] : [`hasAttachments eq ${hasAttachments}`]),
    ...(importance === undefined ? [] : [`importance eq '${importance}'`]),
    ...(isRead === undefined ? [] : [`isRead eq ${isRead}`]),
    ...(label === undefined ? [] : [`categories/any(c:c eq ${quoted(label)})`]),
    ...(conversationId === undefined ? [] : [`conversationId eq ${quoted(conversationId)}`]),
  ].join(' and ');
};

const needsSearch = ({ query, keywords, subject, sender, recipient, attachmentName }: Wanted): boolean =>
  (query ?? '').trim() !== '' ||
  subject !== undefined ||
  keywords.length + recipient.length + attachmentName.length > 0 ||
  !sender.every((each) => wholeAddress.test(each.trim()));

const fits =
  ({ isRead, label, conversationId, receivedAfter, receivedBefore }: Wanted) =>
  (message: WireMessage): boolean => {
    const received = Date.parse(message.receivedDateTime ?? '');
    return (
      (isRead === undefined || message.isRead === isRead) &&
      (label === undefined || (message.categories ?? []).some((name) => sameName(name, label))) &&
      (conversationId === undefined || message.conversationId === conversationId) &&
      !(receivedAfter !== undefined && received < receivedAfter.getTime()) &&
      !(receivedBefore !== undefined && received >= receivedBefore.getTime())
    );
  };

/**
 * Search or filter, never both: the service refuses a search that is filtered or ordered, and a filter cannot look into
 * texts. A search answers at most 1,000 messages, newest first.
 */
export const messageQuery = (wanted: Wanted): MessageQuery => {
  if (needsSearch(wanted)) {
    const kql = search(wanted).replace(/["\\]/g, '\\$&');
    return { how: 'search', query: { $search: `"${kql}"` }, fits: fits(wanted) };
  }
  const direction = wanted.order === 'newest' ? 'desc' : 'asc';
  const query = { $filter: filter(wanted), $orderby: `receivedDateTime ${direction}`, $count: 'true' };
  return { how: 'filter', query, fits: () => true };
};
