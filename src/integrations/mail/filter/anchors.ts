import { sameAddress, sameDomain } from './addresses.ts';
import { foldText } from './fold-text.ts';
import type { Clause, Condition, Role } from './tree.ts';

type Place = 'subject' | 'body' | 'attachment' | Role;
export type Where =
  | `${Place} text`
  | `${Role} ${'address' | 'domain'}`
  | 'category'
  | 'importance'
  | 'hasAttachments'
  | 'isRead';

/** Something a mail has, which is cheap to look up. */
export type Anchor = { where: Where; text: string };

/**
 * A mail that matches has one of the anchors. Where they decide, a mail that has one matches. `share` guesses how many mails
 * have one, to choose the rarest.
 */
export type Anchors = { share: number; decides: boolean; anchors: readonly Anchor[] };

const shares = { address: 0.001, domain: 0.005, category: 0.02, text: 0.1, body: 0.5 };
const importances = { low: 0.05, normal: 0.9, high: 0.1 };
const flags = { hasAttachments: 0.3, isRead: 0.2 };
/** The beginning of a long text is rare enough, and bounds what one comparison costs. */
const longestTerm = 16;
/** A filter with more alternatives is asked about every mail, so that what an index holds is bounded. */
const mostAnchors = 32;

const inText = (places: readonly Place[], text: string, match = 'contains'): Anchors => {
  const folded = foldText(text);
  const term = folded.slice(0, longestTerm);
  return {
    share: (places.includes('body') ? shares.body : shares.text) / term.length,
    decides: match === 'contains' && term === folded,
    anchors: places.map((place) => ({ where: `${place} text`, text: term })),
  };
};

const whole = (share: number, where: Where, text: string): Anchors => ({
  share,
  decides: true,
  anchors: [{ where, text }],
});

const ofPerson = ({ role, by, text }: Extract<Condition, { kind: 'person' }>): Anchors => {
  if (by === 'text') return inText([role], text);
  return whole(shares[by], `${role} ${by}`, by === 'domain' ? sameDomain(text) : sameAddress(text));
};

const ofFlag = (flag: 'hasAttachments' | 'isRead', value: boolean): Anchors =>
  whole(value ? flags[flag] : 1 - flags[flag], flag, String(value));

const ofCondition = (condition: Condition): Anchors | undefined => {
  switch (condition.kind) {
    case 'word':
      return inText(['subject', 'from', 'body'], condition.text);
    case 'text':
      return inText([condition.field], condition.text, condition.match);
    case 'person':
      return ofPerson(condition);
    case 'flag':
      return ofFlag(condition.flag, condition.value);
    case 'importance':
      return whole(importances[condition.level], 'importance', condition.level);
    case 'category':
      return condition.match === 'equals' ? whole(shares.category, 'category', foldText(condition.text)) : undefined;
    default:
      return undefined;
  }
};

const rarest = (parts: readonly (Anchors | undefined)[]): Anchors | undefined => {
  const [first] = parts.flatMap((each) => each ?? []).toSorted((a, b) => a.share - b.share);
  return first && { ...first, decides: false };
};

const together = (parts: readonly (Anchors | undefined)[]): Anchors | undefined => {
  const all = parts.flatMap((each) => each ?? []);
  // A part without an anchor may let any mail through.
  if (all.length < parts.length) return undefined;
  const anchors = all.flatMap((each) => each.anchors);
  if (anchors.length > mostAnchors) return undefined;
  return {
    share: all.reduce((sum, { share }) => sum + share, 0),
    decides: all.every(({ decides }) => decides),
    anchors,
  };
};

/** What no mail may lack that the clause lets through (or, denied, that it stops); nothing where any mail may pass. */
export const anchorsOf = (clause: Clause, denied = false): Anchors | undefined => {
  if (clause.kind === 'not') return anchorsOf(clause.part, !denied);
  if (clause.kind === 'and' || clause.kind === 'or') {
    const parts = clause.parts.map((part) => anchorsOf(part, denied));
    return (clause.kind === 'and') === denied ? together(parts) : rarest(parts);
  }
  if (!denied) return ofCondition(clause);
  // Only of a flag the opposite is something a mail has.
  return clause.kind === 'flag' ? ofFlag(clause.flag, !clause.value) : undefined;
};
