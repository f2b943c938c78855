import type { Where } from './anchors.ts';
import type { FoldedMail } from './folded-mail.ts';
import { termIndex } from './term-index.ts';
import type { Role } from './tree.ts';

export type Filed = { text: string; owner: number };
/** Tells everybody who waits for something that a mail has; perhaps more than once. */
export type Lookup = (mail: FoldedMail, tell: (owner: number) => void) => void;

/** A domain and those above it: a.contoso.com, contoso.com, com. */
const upwards = (domain: string): string[] => {
  const domains = [domain];
  for (let dot = domain.indexOf('.'); dot >= 0; dot = domain.indexOf('.', dot + 1)) domains.push(domain.slice(dot + 1));
  return domains;
};

/** By values that are the same or not. */
const wholeValues = (filed: readonly Filed[], valuesOf: (mail: FoldedMail) => readonly string[]): Lookup => {
  const byText = new Map(
    Array.from(
      Map.groupBy(filed, ({ text }) => text),
      ([text, all]) => [text, all.map(({ owner }) => owner)] as const,
    ),
  );
  const nobody: readonly number[] = [];
  return (mail, tell) => {
    for (const value of valuesOf(mail)) for (const owner of byText.get(value) ?? nobody) tell(owner);
  };
};

/** By what stands anywhere in a text. */
const partsOfText = (filed: readonly Filed[], textOf: (mail: FoldedMail) => string): Lookup => {
  const index = termIndex(filed);
  return (mail, tell) => index.visit(textOf(mail), tell);
};

export const lookupIn = (where: Where, filed: readonly Filed[]): Lookup => {
  switch (where) {
    case 'subject text':
      return partsOfText(filed, (mail) => mail.subject);
    case 'body text':
      return partsOfText(filed, (mail) => mail.body);
    case 'attachment text':
      return partsOfText(filed, (mail) => mail.attachmentNames.join('\n'));
    case 'category':
      return wholeValues(filed, (mail) => mail.categories);
    case 'importance':
      return wholeValues(filed, (mail) => [mail.importance]);
    case 'hasAttachments':
    case 'isRead':
      return wholeValues(filed, (mail) => [String(mail[where])]);
  }
  const [role, kind] = where.split(' ') as [Role, 'text' | 'address' | 'domain'];
  if (kind === 'text') return partsOfText(filed, (mail) => mail.people(role).text);
  if (kind === 'address') return wholeValues(filed, (mail) => mail.people(role).addresses);
  return wholeValues(filed, (mail) => mail.people(role).domains.flatMap(upwards));
};
