import { foldText } from './fold-text.ts';
import type { FoldedMail } from './folded-mail.ts';
import { termsInText } from './terms-in-text.ts';
import { type Clause, conditionsOf } from './tree.ts';

/** Whether a folded text stands in the body of a mail. */
export type InBody = (mail: FoldedMail, wanted: string) => boolean;

const one: InBody = (mail, wanted) => mail.body.includes(wanted);

// Looking for each costs less as long as they are few.
const few = 8;
// What a short text costs does not matter.
const long = 20_000;

/** A long body is read once for all that a filter looks for in it: the time does not grow with their number. */
export const bodyTermsOf = (clause: Clause): InBody => {
  const wanted = conditionsOf(clause).flatMap((each) =>
    each.kind === 'word' || (each.kind === 'text' && each.field === 'body' && each.match === 'contains')
      ? [foldText(each.text)]
      : [],
  );
  const terms = [...new Set(wanted)];
  if (terms.length <= few) return one;
  let find: ReturnType<typeof termsInText> | undefined;
  const known = new WeakMap<FoldedMail, ReadonlySet<string>>();
  const foundIn = (mail: FoldedMail): ReadonlySet<string> => {
    find ??= termsInText(terms);
    const found = known.get(mail) ?? find(mail.body);
    known.set(mail, found);
    return found;
  };
  return (mail, text) => (mail.body.length < long ? one(mail, text) : foundIn(mail).has(text));
};
