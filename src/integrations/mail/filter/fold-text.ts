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

const foldRun = (run: string): string =>
  run
    .normalize('NFKD')
    .replace(leftOut, '')
    .toLowerCase()
    .replace(twinned, (sign) => twins.get(sign) ?? sign)
    .normalize('NFC');

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

/** A text as it is compared: letter case, accents, typographic signs and the width of blanks make no difference. */
export const foldText = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[\u0080-\uffff]+/g, foldKnown)
    .replace(/[\t-\r ]{2,}|[\t-\r]/g, ' ')
    .trim();
