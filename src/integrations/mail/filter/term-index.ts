/*
 * Finds, in one reading of a text, who waits for what stands in it. Every term is filed under the rarest three characters
 * of it; where a text has these three, the term is compared. A million terms cost a reader no more than ten, as long as
 * few share their three.
 */

/** What is compared: the beginning of a term is enough to look closer, and bounds what one comparison costs. */
const longestCompared = 16;
const gram = 3;

/** From the most common characters of Western languages to the rarest; any other is rarer still. */
const common = ' etaoinsrhldcumfpgwybvkxjqz';
const rarity = (character: string): number => {
  const at = common.indexOf(character);
  return at < 0 ? common.length : at;
};

const rarestGram = (term: string): number => {
  const rarities = term.split('').map(rarity);
  const scores = rarities
    .slice(gram - 1)
    .map((_, at) => rarities.slice(at, at + gram).reduce((sum, each) => sum + each, 0));
  return scores.indexOf(Math.max(...scores));
};

/** Goes on by one character and forgets the one three before: five bits each. */
const next = (hash: number, code: number): number => ((hash << 5) ^ code) & 0x7fff;

type Entry = { text: string; gramEnd: number; owners: number[]; foundIn: number };

export type TermIndex = {
  /** Tells everybody who waits for a term that the text contains, and perhaps for a longer one that begins like it. */
  visit(text: string, tell: (owner: number) => void): void;
};

const entriesOf = (terms: Iterable<readonly [term: string, owner: number]>): Entry[] => {
  const entries = new Map<string, Entry>();
  for (const [term, owner] of terms) {
    const text = term.slice(0, longestCompared);
    const known = entries.get(text);
    if (known !== undefined) known.owners.push(owner);
    else {
      const gramEnd = text.length < gram ? 0 : rarestGram(text) + gram - 1;
      entries.set(text, { text, gramEnd, owners: [owner], foundIn: 0 });
    }
  }
  return [...entries.values()];
};

export const termIndex = (terms: Iterable<readonly [term: string, owner: number]>): TermIndex => {
  const entries = entriesOf(terms);
  const short = entries.filter(({ text }) => text.length < gram);
  const long = entries.filter(({ text }) => text.length >= gram);
  // Eight places for each term keep most of them empty; more than one for each hash would be of no use.
  const bits = Math.min(15, Math.ceil(Math.log2(long.length * 8 + 64)));
  const place = (hash: number): number => ((hash * 40_503) & 0xffff) >>> (16 - bits);
  const table = new Uint16Array(2 ** bits);
  const shelves: Entry[][] = [[]];
  for (const entry of long) {
    let hash = 0;
    for (let at = entry.gramEnd - gram + 1; at <= entry.gramEnd; at++) hash = next(hash, entry.text.charCodeAt(at));
    const shelf = table[place(hash)] ?? 0;
    if (shelf > 0) shelves[shelf]?.push(entry);
    else table[place(hash)] = shelves.push([entry]) - 1;
  }

  let reading = 0;
  return {
    visit(text, tell) {
      reading++;
      const found = (entry: Entry): void => {
        entry.foundIn = reading;
        for (const owner of entry.owners) tell(owner);
      };
      for (const entry of short) if (text.includes(entry.text)) found(entry);
      if (long.length === 0) return;
      for (let at = 0, hash = 0; at < text.length; at++) {
        hash = next(hash, text.charCodeAt(at));
        const shelf = table[place(hash)] ?? 0;
        if (shelf === 0) continue;
        for (const entry of shelves[shelf] ?? []) {
          if (entry.foundIn !== reading && text.startsWith(entry.text, at - entry.gramEnd)) found(entry);
        }
      }
    },
  };
};
