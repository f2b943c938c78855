import { type Anchor, anchorsOf, fact, type Place } from './anchors.ts';
import type { CompiledFilter } from './compile-filter.ts';
import type { FoldedMail } from './folded-mail.ts';
import { type TermIndex, termIndex } from './term-index.ts';
import type { Role } from './tree.ts';

type Owners = Map<string, number[]>;

const listed = <Key, Value>(lists: Map<Key, Value[]>, key: Key): Value[] => {
  const known = lists.get(key) ?? [];
  lists.set(key, known);
  return known;
};

const nested = <Key>(maps: Map<Key, Owners>, key: Key): Owners => {
  const known = maps.get(key) ?? new Map<string, number[]>();
  maps.set(key, known);
  return known;
};

const textAt = (place: Place, mail: FoldedMail): string => {
  if (place === 'subject' || place === 'body') return mail[place];
  return place === 'attachment' ? mail.attachmentNames.join('\n') : mail.people(place).text;
};

const factsOf = (mail: FoldedMail): string[] => [
  fact('hasAttachments', mail.hasAttachments),
  fact('isRead', mail.isRead),
  fact('importance', mail.importance),
  ...mail.categories.map((name) => fact('category', name)),
];

/** A domain and those above it: a.contoso.com, contoso.com, com. */
function* upwards(domain: string): Generator<string> {
  for (let at = 0; ; ) {
    yield domain.slice(at);
    const dot = domain.indexOf('.', at);
    if (dot < 0) return;
    at = dot + 1;
  }
}

/** Whoever waits for something a mail has, by what it is. */
const shelvesOf = (entries: Iterable<readonly [Anchor, number]>) => {
  const terms = new Map<Place, [string, number][]>();
  const shelves = {
    facts: new Map() as Owners,
    addresses: new Map<Role, Owners>(),
    domains: new Map<Role, Owners>(),
    texts: new Map<Place, TermIndex>(),
  };
  for (const [anchor, owner] of entries) {
    if (anchor.kind === 'term') listed(terms, anchor.place).push([anchor.text, owner]);
    else if (anchor.kind === 'fact') listed(shelves.facts, anchor.text).push(owner);
    else {
      const byRole = anchor.kind === 'address' ? shelves.addresses : shelves.domains;
      listed(nested(byRole, anchor.role), anchor.text).push(owner);
    }
  }
  for (const [place, list] of terms) shelves.texts.set(place, termIndex(list));
  return shelves;
};

/**
 * Many filters on one mailbox. Each is filed under something that a mail must have to match it, and asked only about mails
 * that have it. Those that match come in the order given.
 */
export const filterIndex = (
  filters: readonly { id: string; filter: Pick<CompiledFilter, 'filter' | 'matches'> }[],
): { matching(mail: FoldedMail): string[] } => {
  const anchored = filters.map(({ filter }) => anchorsOf(filter.filter.clause)?.anchors);
  const always = anchored.flatMap((anchors, owner) => (anchors === undefined ? [owner] : []));
  const { facts, addresses, domains, texts } = shelvesOf(
    anchored.flatMap((anchors, owner) => (anchors ?? []).map((anchor): [Anchor, number] => [anchor, owner])),
  );
  const askedIn = new Uint32Array(filters.length);
  let turn = 0;

  return {
    matching(mail) {
      turn++;
      const found: number[] = [];
      const ask = (owner: number): void => {
        if (askedIn[owner] === turn) return;
        askedIn[owner] = turn;
        if (filters[owner]?.filter.matches(mail) === true) found.push(owner);
      };
      always.forEach(ask);
      for (const name of factsOf(mail)) facts.get(name)?.forEach(ask);
      for (const [role, owners] of addresses) {
        for (const address of mail.people(role).addresses) owners.get(address)?.forEach(ask);
      }
      for (const [role, owners] of domains) {
        for (const domain of mail.people(role).domains) {
          for (const each of upwards(domain)) owners.get(each)?.forEach(ask);
        }
      }
      for (const [place, terms] of texts) terms.visit(textAt(place, mail), ask);
      return found.sort((a, b) => a - b).flatMap((owner) => filters[owner]?.id ?? []);
    },
  };
};
