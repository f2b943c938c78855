import type { EmailAddress, Message } from '../mailbox.ts';
import { htmlToText } from '../text.ts';
import { spanOf } from './dates.ts';
import { type KqlNode, parseKql } from './parse.ts';
import { indexed, nearMatcher, phraseMatcher } from './words.ts';

type Test = (message: Message) => boolean;
type Field = 'subject' | 'body' | 'from';
type Texts = { version: number } & Partial<Record<Field, string>>;

const index = new WeakMap<Message, Texts>();
const people = (list: readonly EmailAddress[]): string =>
  list.map(({ name, address }) => `${name} ${address}`).join(' ');

const read: Record<Field, (message: Message) => string> = {
  subject: ({ subject }) => subject,
  body: ({ body: { contentType, content } }) => (contentType === 'html' ? htmlToText(content) : content),
  from: ({ from }) => people(from === null ? [] : [from]),
};

/** The words of one part of a message, made when first looked at and kept until it changes. */
const wordsOf = (message: Message, field: Field): string => {
  let texts = index.get(message);
  if (texts?.version !== message.version) {
    texts = { version: message.version };
    index.set(message, texts);
  }
  texts[field] ??= indexed(read[field](message));
  return texts[field];
};
const anywhere: readonly Field[] = ['subject', 'from', 'body'];

/** The service has no size property on messages; its search still knows one. */
const sizeOf = (message: Message): number =>
  message.body.content.length + message.attachments.reduce((sum, { size }) => sum + size, 0) + 1024;

const peopleOf: Record<string, (message: Message) => EmailAddress[]> = {
  to: ({ to }) => to,
  cc: ({ cc }) => cc,
  bcc: ({ bcc }) => bcc,
  recipients: ({ to, cc, bcc }) => [...to, ...cc, ...bcc],
  participants: ({ from, to, cc, bcc }) => [...(from === null ? [] : [from]), ...to, ...cc, ...bcc],
};

type Restriction = Extract<KqlNode, { kind: 'restriction' }>;

const never: Test = () => false;

const personTest = ({ property, value }: Restriction): Test => {
  const matches = phraseMatcher(value, /[@.]/.test(value));
  if (property === 'from') return (message) => matches(wordsOf(message, 'from'));
  const list = peopleOf[property];
  return list === undefined ? never : (message) => matches(indexed(people(list(message))));
};

/** `from` included, `to` excluded. */
const spanTest = (
  operator: Restriction['operator'],
  span: { from: number; to: number },
  read: (m: Message) => number,
): Test => {
  switch (operator) {
    case '<':
      return (message) => read(message) < span.from;
    case '<=':
      return (message) => read(message) < span.to;
    case '>':
      return (message) => read(message) >= span.to;
    case '>=':
      return (message) => read(message) >= span.from;
    case '<>':
      return (message) => read(message) < span.from || read(message) >= span.to;
    default:
      return (message) => read(message) >= span.from && read(message) < span.to;
  }
};

const rangeTest = ({ operator, value }: Restriction, now: number | undefined, read: (m: Message) => number): Test => {
  const span = (text: string) => {
    if (now !== undefined) return spanOf(text, now);
    return /^\d{1,15}$/.test(text) ? { from: Number(text), to: Number(text) + 1 } : undefined;
  };
  const dots = value.indexOf('..');
  const [first, last] =
    dots < 0 ? [span(value), span(value)] : [span(value.slice(0, dots)), span(value.slice(dots + 2))];
  if (first === undefined || last === undefined) return never;
  return spanTest(operator, { from: first.from, to: last.to }, read);
};

const yes = /^(true|yes|1)$/i;
const boolTest = ({ value, operator }: Restriction, read: Test): Test => {
  const wanted = yes.test(value) !== (operator === '<>');
  return (message) => read(message) === wanted;
};

const negatable = ({ operator }: Restriction, test: Test): Test =>
  operator === '<>' ? (message) => !test(message) : test;

const restrictionTest = (node: Restriction, now: number): Test => {
  const { value } = node;
  switch (node.property) {
    case 'subject': {
      const matches = phraseMatcher(value);
      return negatable(node, (message) => matches(wordsOf(message, 'subject')));
    }
    case 'body': {
      const matches = phraseMatcher(value);
      return negatable(node, (message) => matches(wordsOf(message, 'body')));
    }
    case 'attachment':
    case 'attachmentnames': {
      const matches = phraseMatcher(value);
      return negatable(node, ({ attachments }) => attachments.some(({ name }) => matches(indexed(name))));
    }
    case 'category':
      return negatable(node, ({ categories }) => categories.some((name) => name.toLowerCase() === value.toLowerCase()));
    case 'importance': {
      const level = value.toLowerCase() === 'medium' ? 'normal' : value.toLowerCase();
      return negatable(node, ({ importance }) => importance === level);
    }
    case 'hasattachment':
    case 'hasattachments':
      return boolTest(node, ({ attachments }) => attachments.some(({ isInline }) => !isInline));
    case 'isread':
      return boolTest(node, ({ isRead }) => isRead);
    case 'kind': {
      const kind = value.toLowerCase();
      return negatable(node, ({ meeting }) => kind === 'email' || (kind === 'meetings' && meeting !== undefined));
    }
    case 'size':
      return rangeTest(node, undefined, sizeOf);
    case 'received':
      return rangeTest(node, now, ({ received }) => received);
    case 'sent':
      return rangeTest(node, now, ({ sent }) => sent);
    default:
      return negatable(node, personTest(node));
  }
};

const compile = (node: KqlNode, now: number): Test => {
  switch (node.kind) {
    case 'and': {
      const tests = node.parts.map((part) => compile(part, now));
      return (message) => tests.every((test) => test(message));
    }
    case 'or': {
      const tests = node.parts.map((part) => compile(part, now));
      return (message) => tests.some((test) => test(message));
    }
    case 'not': {
      const test = compile(node.part, now);
      return (message) => !test(message);
    }
    case 'near': {
      const matches = nearMatcher(node.terms, node.distance, node.ordered);
      return (message) => anywhere.some((field) => matches(wordsOf(message, field)));
    }
    case 'text': {
      const matches = phraseMatcher(node.value);
      return (message) => anywhere.some((field) => matches(wordsOf(message, field)));
    }
    case 'restriction':
      return restrictionTest(node, now);
  }
};

/** A KQL query as a test of messages. */
export const searcher = (text: string, now: number): Test => compile(parseKql(text), now);
