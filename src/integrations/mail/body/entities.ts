// U+00A0 to U+00FF, in order.
const latin =
  `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute
  micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil
  Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute
  Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute
  icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml`
    .trim()
    .split(/\s+/);

const others: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  sbquo: '‚',
  ldquo: '“',
  rdquo: '”',
  bdquo: '„',
  lsaquo: '‹',
  rsaquo: '›',
  bull: '•',
  euro: '€',
  trade: '™',
  larr: '←',
  uarr: '↑',
  rarr: '→',
  darr: '↓',
  check: '✓',
  minus: '−',
  ne: '≠',
  le: '≤',
  ge: '≥',
  OElig: 'Œ',
  oelig: 'œ',
  Scaron: 'Š',
  scaron: 'š',
  ensp: ' ',
  emsp: ' ',
  thinsp: ' ',
  NewLine: '\n',
  Tab: '\t',
  zwnj: '\u200c',
  zwj: '\u200d',
  lrm: '\u200e',
  rlm: '\u200f',
};

const named = new Map([
  ...latin.map((name, at) => [name, String.fromCharCode(160 + at)] as const),
  ...Object.entries(others),
]);

const fromCode = (code: number): string =>
  code > 0x10_ffff || (code >= 0xd800 && code <= 0xdfff) || Number.isNaN(code) ? '\ufffd' : String.fromCodePoint(code);

const decodeOne = (whole: string, body: string): string => {
  if (!body.startsWith('#')) return named.get(body) ?? whole;
  const hex = /^#x/i.test(body);
  return fromCode(Number.parseInt(body.slice(hex ? 2 : 1), hex ? 16 : 10));
};

/** Character references as text; those not known stay as they are. */
export const decodeEntities = (text: string): string =>
  text.includes('&') ? text.replace(/&(#\d{1,8}|#[xX][0-9a-fA-F]{1,7}|[A-Za-z][A-Za-z0-9]{1,9});?/g, decodeOne) : text;
