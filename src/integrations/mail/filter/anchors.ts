import { sameAddress, sameDomain } from './addresses.ts';
import { foldText } from './fold-text.ts';
import type { Clause, Condition, Role } from './tree.ts';

/** Where text is looked for. */
export type Place = 'subject' | 'body' | 'attachment' | Role;

/** Something a mail has, which is cheap to look up. */
export type Anchor =
  | { kind: 'term'; place: Place; text: string }
  | { kind: 'domain' | 'address'; role: Role; text: string }
  | { kind: 'fact'; text: string };

/** A mail that matches has one of the anchors; `share` guesses how many mails have one, to choose the rarest. */
export type Anchors = { share: number; anchors: readonly Anchor[] };

/** A mail's category, flag or importance, by one name. */
export const fact = (kind: 'category' | 'hasAttachments' | 'isRead' | 'importance', value: string | boolean): string =>
  `${kind} ${value}`;

const shares = { address: 0.001, domain: 0.005, category: 0.02, term: 0.1, body: 0.5 };
const importances = { low: 0.05, normal: 0.9, high: 0.1 };
const flags = { hasAttachments: 0.3, isRead: 0.2 };

const terms = (places: readonly Place[], text: string): Anchors => {
  const folded = foldText(text);
  const share = (places.includes('body') ? shares.body : shares.term) / folded.length;
  return { share, anchors: places.map((place) => ({ kind: 'term', place, text: folded })) };
};

const facts = (share: number, text: string): Anchors => ({ share, anchors: [{ kind: 'fact', text }] });

const anchorsOfPerson = ({ role, by, text }: Extract<Condition, { kind: 'person' }>): Anchors => {
  if (by === 'text') return terms([role], text);
  const same = by === 'domain' ? sameDomain(text) : sameAddress(text);
  return { share: shares[by], anchors: [{ kind: by, role, text: same }] };
};

const anchorsOfFlag = (flag: 'hasAttachments' | 'isRead', value: boolean): Anchors =>
  facts(value ? flags[flag] : 1 - flags[flag], fact(flag, value));

const anchorsOfCondition = (condition: Condition): Anchors | undefined => {
  switch (condition.kind) {
    case 'word':
      return terms(['subject', 'from', 'body'], condition.text);
    case 'text':
      return terms([condition.field], condition.text);
    case 'person':
      return anchorsOfPerson(condition);
    case 'flag':
      return anchorsOfFlag(condition.flag, condition.value);
    case 'importance':
      return facts(importances[condition.level], fact('importance', condition.level));
    case 'category':
      return condition.match === 'equals'
        ? facts(shares.category, fact('category', foldText(condition.text)))
        : undefined;
    default:
      return undefined;
  }
};

const rarest = (candidates: readonly (Anchors | undefined)[]): Anchors | undefined =>
  candidates.flatMap((each) => each ?? []).toSorted((a, b) => a.share - b.share)[0];

const together = (alternatives: readonly (Anchors | undefined)[]): Anchors | undefined => {
  const all = alternatives.flatMap((each) => each ?? []);
  // An alternative without an anchor may let any mail through.
  if (all.length < alternatives.length) return undefined;
  return { share: all.reduce((sum, { share }) => sum + share, 0), anchors: all.flatMap(({ anchors }) => anchors) };
};

/** What no mail may lack that the clause lets through (or, denied, that it stops); nothing where any mail may pass. */
export const anchorsOf = (clause: Clause, denied = false): Anchors | undefined => {
  if (clause.kind === 'not') return anchorsOf(clause.part, !denied);
  if (clause.kind === 'and' || clause.kind === 'or') {
    const parts = clause.parts.map((part) => anchorsOf(part, denied));
    return (clause.kind === 'and') === denied ? together(parts) : rarest(parts);
  }
  if (!denied) return anchorsOfCondition(clause);
  // Only of a flag the opposite is something a mail has.
  return clause.kind === 'flag' ? anchorsOfFlag(clause.flag, !clause.value) : undefined;
};
