import { anchorsOf } from './anchors.ts';
import type { CompiledFilter } from './compile-filter.ts';
import type { FoldedMail } from './folded-mail.ts';
import { lookupIn } from './lookups.ts';

/**
 * Many filters on one mailbox. Each is filed under something that a mail must have to match it, and asked only about mails
 * that have it. Those that match come in the order given.
 */
export const filterIndex = (
  filters: readonly { id: string; filter: Pick<CompiledFilter, 'filter' | 'matches'> }[],
): { matching(mail: FoldedMail): string[] } => {
  const anchored = filters.map(({ filter }) => anchorsOf(filter.filter.clause));
  const always = anchored.flatMap((each, owner) => (each === undefined ? [owner] : []));
  const decided = anchored.map((each) => each?.decides === true);
  const filed = anchored.flatMap((each, owner) => (each?.anchors ?? []).map((anchor) => ({ ...anchor, owner })));
  const lookups = Array.from(
    Map.groupBy(filed, ({ where }) => where),
    ([where, entries]) => lookupIn(where, entries),
  );
  const tests = filters.map(({ filter }) => filter);
  const askedIn = new Uint32Array(filters.length);
  // Numbers in an array of their own are sorted as numbers, and fast.
  const found = new Uint32Array(filters.length);
  let turn = 0;
  let count = 0;
  let asked: FoldedMail;
  const ask = (owner: number): void => {
    if (askedIn[owner] === turn) return;
    askedIn[owner] = turn;
    if (decided[owner] === true || tests[owner]?.matches(asked) === true) found[count++] = owner;
  };

  return {
    matching(mail) {
      turn++;
      count = 0;
      asked = mail;
      for (const owner of always) ask(owner);
      for (const lookUp of lookups) lookUp(mail, ask);
      const ids: string[] = [];
      for (const owner of found.subarray(0, count).sort()) ids.push(filters[owner]?.id ?? '');
      return ids;
    },
  };
};
