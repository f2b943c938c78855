import { isDomain } from './addresses.ts';
import { propertyNamed } from './properties.ts';
import { type Clause, type Condition, conditionsOf } from './tree.ts';

const meant = new Map([
  ['and', 'AND'],
  ['&', 'AND'],
  ['&&', 'AND'],
  ['or', 'OR'],
  ['|', 'OR'],
  ['||', 'OR'],
  ['not', 'NOT'],
  ['!', 'NOT'],
]);

const wideOperator = /^([a-z]+)[：＝＜＞]/i;

const ofWord = (word: string): string | undefined => {
  const operator = meant.get(word.toLowerCase());
  if (operator !== undefined) return `"${word}" is looked for as a word. To join conditions write ${operator}.`;
  const property = propertyNamed(wideOperator.exec(word)?.[1] ?? '');
  return (
    property && `"${word}" is looked for as text. To ask for a property write ${property}:value, with a plain sign.`
  );
};

const isSeveral = (text: string): boolean => text.split(/[,;]/).filter((part) => part.includes('@')).length > 1;

const ofPerson = ({ role, by, text }: Extract<Condition, { kind: 'person' }>): string | undefined => {
  if (by !== 'text') return undefined;
  if (isSeveral(text)) {
    return `"${text}" is looked for in one name or address. For several people write (${role}:ada@contoso.com OR ${role}:ben@contoso.com).`;
  }
  if (!text.includes('.') || !isDomain(text)) return undefined;
  return `"${text}" is looked for in names and addresses. If it is a domain, write ${role}:*${text}.`;
};

const hintOf = (condition: Condition): string | undefined => {
  if (condition.kind === 'person') return ofPerson(condition);
  return condition.kind === 'word' && !condition.quoted ? ofWord(condition.text) : undefined;
};

/** What is looked for although something else was perhaps meant. */
export const hintsFor = (clause: Clause): string[] => [
  ...new Set(conditionsOf(clause).flatMap((each) => hintOf(each) ?? [])),
];
