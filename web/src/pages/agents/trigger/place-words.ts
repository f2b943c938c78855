import type { Diagnosis } from '../../../../../client/src/index.ts';

/** A diagnosis says a name that is known beside it; here the name of today is said. A name may hold such quotes itself. */
const ours =
  /(?:\bThe \w+ “(?:(?!” \(|\bThe \w+ “).)*” \()?\b(mailbox|board|member|organization|poll)\/([^\s:)]+)\)?/gs;

type NameOf = (id: string) => string | undefined;

/** What is watched, as people call it: `mailbox/me` and `board/6ae8…` are our own names for it. */
const placeOf = (kind: string, id: string, nameOf: NameOf): string => {
  if (kind === 'mailbox') return id === 'me' ? 'the mailbox' : `the mailbox ${id}`;
  if (kind === 'poll') return 'what it waits for';
  if (kind === 'member') return 'the account';
  const name = nameOf(id);
  const what = kind === 'board' ? 'board' : 'workspace';
  return name === undefined ? `a ${what} of the account` : `the ${what} ${name}`;
};

/** What a diagnosis says, with the names that people know of places. */
export const inPlaceWords = (text: string, { watches }: Pick<Diagnosis, 'watches'>, nameOf: NameOf): string =>
  text.replaceAll(ours, (_, kind: string, id: string, at: number) => {
    const told = watches.find(({ resource }) => resource === `${kind}/${id}`)?.name ?? undefined;
    const place = placeOf(kind, id, () => nameOf(id) ?? (told === undefined ? undefined : `“${told}”`));
    return at === 0 ? place.charAt(0).toUpperCase() + place.slice(1) : place;
  });
