import { inForm } from '#kit';

/*
 * Marks that people leave out: accents, vowel signs of Arabic and Hebrew. Marks that make another letter, as in Hindi or
 * Japanese, stay. With them go characters nobody sees, which senders put into words to hide them.
 */
const leftOut =
  /[[\p{Script=Inherited}--[\u{3099}\u{309a}]][\p{Script=Hebrew}&&\p{Mark}]\p{Default_Ignorable_Code_Point}]+/gv;

/** Letters that Unicode does not take apart, and signs with a plain twin. */
const twins = new Map(
  Object.entries({
    ß: 'ss',
    æ: 'ae',
    œ: 'oe',
    ø: 'o',
    ł: 'l',
    đ: 'd',
    ð: 'd',
    þ: 'th',
    ħ: 'h',
    ŧ: 't',
    ı: 'i',
    ς: 'σ',
    '‘': "'",
    '’': "'",
    '‚': "'",
    '“': '"',
    '”': '"',
    '„': '"',
    '‐': '-',
    '‑': '-',
    '–': '-',
    '—': '-',
    '−': '-',
    '\u0085': ' ',
    '\u1680': ' ',
    '\u2028': ' ',
    '\u2029': ' ',
  }),
);
const twinned = new RegExp(`[${[...twins.keys()].join('')}]`, 'g');

const foldRun = (run: string): string => {
  const bare = inForm(run, 'NFKD').replace(leftOut, '').toLowerCase();
  return inForm(
    bare.replace(twinned, (sign) => twins.get(sign) ?? sign),
    'NFC',
  );
};

// Most runs outside ASCII are one of a few letters and signs.
const knownRuns = new Map<string, string>();
const mostKnown = 2000;
const longestKnown = 4;

const foldKnown = (run: string): string => {
  const known = knownRuns.get(run);
  if (known !== undefined) return known;
  const folded = foldRun(run);
  if (run.length <= longestKnown && knownRuns.size < mostKnown) knownRuns.set(run, folded);
  return folded;
};

const foldPlainly = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[\u0080-\uffff]+/g, foldKnown)
    .replace(/[\t-\r ]{2,}|[\t-\r]/g, ' ')
    .trim();

const blank = 1 << 8;
const other = 1 << 9;

/** What each character of one byte becomes: one such character, perhaps a blank, or something other. */
const foldedBytes = Uint16Array.from({ length: 256 }, (_, code) => {
  const folded = foldPlainly(`a${String.fromCharCode(code)}a`).slice(1, -1);
  if (folded === ' ') return 32 | blank;
  return folded.length === 1 && folded.charCodeAt(0) < 256 ? folded.charCodeAt(0) : other;
});

// By bytes it takes half the time, once a text is long enough for the way there and back.
const shortest = 64;
const room = Buffer.alloc(64 * 1024);

/** `undefined` where a character becomes something other. No jump depends on what is read: processors guess those wrong. */
const foldByBytes = (text: string): string | undefined => {
  const length = room.write(text, 'latin1');
  let all = 0;
  let end = 0;
  let after = 1;
  for (let at = 0; at < length; at++) {
    const folded = foldedBytes[room[at] ?? 0] ?? 0;
    room[end] = folded;
    const isBlank = (folded >> 8) & 1;
    end += 1 - (isBlank & after);
    after = isBlank;
    all |= folded;
  }
  return (all & other) === 0 ? room.toString('latin1', 0, Math.max(0, end - after)) : undefined;
};

/** A text as it is compared: letter case, accents, typographic signs and the width of blanks make no difference. */
export const foldText = (text: string): string =>
  text.length < shortest || text.length > room.length || /[\u0100-\uffff]/.test(text)
    ? foldPlainly(text)
    : (foldByBytes(text) ?? foldPlainly(text));
