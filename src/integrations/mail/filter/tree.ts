import type { Day } from './days.ts';

export type Role = 'from' | 'to' | 'cc' | 'bcc' | 'recipients' | 'participants';
export type Level = 'low' | 'normal' | 'high';

/** How a value that has an order is compared. */
export type Range<Value> =
  | { operator: ':' | '<' | '<=' | '>' | '>='; value: Value }
  | { operator: '..'; from: Value; to: Value };

/** One thing asked of a mail. */
export type Condition =
  /** The sender, the subject or the body contains it. What is quoted is meant as text. */
  | { kind: 'word'; text: string; quoted: boolean }
  | {
      kind: 'text';
      field: 'subject' | 'body' | 'attachment';
      match: 'contains' | 'equals' | 'starts' | 'ends';
      text: string;
    }
  /** By the domain of an address, by a whole address, or by text in a name or an address. */
  | { kind: 'person'; role: Role; by: 'domain' | 'address' | 'text'; text: string }
  | { kind: 'category'; match: 'equals' | 'starts'; text: string }
  | { kind: 'flag'; flag: 'hasAttachments' | 'isRead'; value: boolean }
  | { kind: 'importance'; level: Level }
  | { kind: 'size'; range: Range<number> }
  | { kind: 'date'; field: 'received' | 'sent'; range: Range<Day> };

export type Clause =
  | Condition
  | { kind: 'and'; parts: Clause[] }
  | { kind: 'or'; parts: Clause[] }
  | { kind: 'not'; part: Clause };

/** A search filter that was understood. Hints tell what was understood differently from what may have been meant. */
export type Filter = { clause: Clause; hints: string[] };

/** Clauses joined by AND or OR; those joined by the same word already become one list. */
export const joined = (kind: 'and' | 'or', clauses: readonly Clause[]): Clause => {
  const parts = clauses.flatMap((each) => (each.kind === kind ? each.parts : [each]));
  const [only] = parts;
  return only !== undefined && parts.length === 1 ? only : { kind, parts };
};

export const negated = (clause: Clause): Clause =>
  clause.kind === 'not' ? clause.part : { kind: 'not', part: clause };

/** Every condition of a clause, in the order written. */
export const conditionsOf = (clause: Clause): Condition[] => {
  if (clause.kind === 'not') return conditionsOf(clause.part);
  return clause.kind === 'and' || clause.kind === 'or' ? clause.parts.flatMap(conditionsOf) : [clause];
};
