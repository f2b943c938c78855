import { zoneNamed } from '../zones.ts';
import { bodyTermsOf, type InBody } from './body-terms.ts';
import { type Calendar, calendarOf } from './days.ts';
import type { FoldedMail } from './folded-mail.ts';
import { printClause } from './print-filter.ts';
import { type Test, testCondition } from './test-condition.ts';
import type { Clause, Filter } from './tree.ts';

export type CompiledFilter = {
  filter: Filter;
  matches(mail: FoldedMail): boolean;
  /** The smallest clause that a mail fails, as it is printed; of alternatives all fail, so it is the whole group. */
  failedClause(mail: FoldedMail): string | undefined;
};

/** A clause with its test; `parts` are what AND joins, in the order written. */
type Compiled = Test & { clause: Clause; parts: Compiled[] };

const joinTests = (kind: 'and' | 'or', parts: readonly Test[]): Test => {
  const cheapFirst = parts.toSorted((a, b) => a.cost - b.cost).map(({ fits }) => fits);
  const cost = parts.reduce((sum, part) => sum + part.cost, 0);
  const [first, second] = cheapFirst;
  if (first !== undefined && second !== undefined && cheapFirst.length === 2) {
    const two = {
      and: (mail: FoldedMail) => first(mail) && second(mail),
      or: (mail: FoldedMail) => first(mail) || second(mail),
    };
    return { cost, fits: two[kind] };
  }
  const decides = kind === 'or';
  const fits = (mail: FoldedMail): boolean => {
    for (const part of cheapFirst) if (part(mail) === decides) return decides;
    return !decides;
  };
  return { cost, fits };
};

const compile = (clause: Clause, calendar: Calendar, inBody: InBody): Compiled => {
  if (clause.kind === 'not') {
    const { cost, fits } = compile(clause.part, calendar, inBody);
    return { clause, parts: [], cost, fits: (mail) => !fits(mail) };
  }
  if (clause.kind !== 'and' && clause.kind !== 'or') {
    return { clause, parts: [], ...testCondition(clause, calendar, inBody) };
  }
  const parts = clause.parts.map((part) => compile(part, calendar, inBody));
  return { clause, parts: clause.kind === 'and' ? parts : [], ...joinTests(clause.kind, parts) };
};

const firstFailure = ({ clause, parts }: Compiled, mail: FoldedMail): Clause => {
  const failed = parts.find((part) => !part.fits(mail));
  return failed === undefined ? clause : firstFailure(failed, mail);
};

/** Makes a filter ready to be asked often. Days are those of the mailbox's zone, by IANA or Windows name. */
export const compileFilter = (filter: Filter, context: { zone: string; now: () => Date }): CompiledFilter => {
  const root = compile(filter.clause, calendarOf(zoneNamed(context.zone), context.now), bodyTermsOf(filter.clause));
  return {
    filter,
    matches: root.fits,
    failedClause: (mail) => (root.fits(mail) ? undefined : printClause(firstFailure(root, mail))),
  };
};
