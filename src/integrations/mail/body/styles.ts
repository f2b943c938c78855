/** How text looks at some place of a mail, as far as that decides whether a person can see it. */
export type Look = {
  /** Nothing inside can become visible again. */
  gone: boolean;
  invisible: boolean;
  tiny: boolean;
  color: Color | 'unknown';
  background: Color | 'unknown';
};

type Color = readonly [red: number, green: number, blue: number];

export const plainLook: Look = {
  gone: false,
  invisible: false,
  tiny: false,
  color: [0, 0, 0],
  background: [255, 255, 255],
};

const names: Record<string, Color> = {
  white: [255, 255, 255],
  snow: [255, 250, 250],
  ivory: [255, 255, 240],
  whitesmoke: [245, 245, 245],
  ghostwhite: [248, 248, 255],
  black: [0, 0, 0],
  red: [255, 0, 0],
  green: [0, 128, 0],
  blue: [0, 0, 255],
  yellow: [255, 255, 0],
  gray: [128, 128, 128],
  grey: [128, 128, 128],
  silver: [192, 192, 192],
};

const hex = (digits: string): Color => {
  const wide = digits.length < 6 ? digits.replace(/./g, '$&$&') : digits;
  const at = (from: number) => Number.parseInt(wide.slice(from, from + 2), 16);
  return [at(0), at(2), at(4)];
};

type Paint = { color: Color | 'unknown'; clear: boolean };

/** The first colour in a value, with whether it lets everything shine through. */
const readColor = (value: string): Paint | undefined => {
  if (value.includes('url(') || value.includes('gradient(')) return { color: 'unknown', clear: false };
  if (/\btransparent\b/.test(value)) return { color: 'unknown', clear: true };
  const digits = /#([0-9a-f]{3,8})\b/.exec(value)?.[1];
  if (digits !== undefined) return { color: hex(digits), clear: /^(?:[0-9a-f]{3}0|[0-9a-f]{6}00)$/.test(digits) };
  const parts = /rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})(?:[\s,/]+([\d.]+)%?)?/.exec(value);
  if (parts !== null) {
    const color: Color = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
    return { color, clear: parts[4] !== undefined && Number(parts[4]) < 0.05 };
  }
  const word = value.split(/[\s,]+/).find((each) => Object.hasOwn(names, each));
  return word === undefined ? undefined : { color: names[word] ?? 'unknown', clear: false };
};

const isSmall: Record<string, number> = { px: 2, pt: 1.5, em: 0.15, rem: 0.15, '%': 15, vw: 0.2, vh: 0.2, mm: 0.5 };

/** Whether a length is too small to read or hold text. `undefined`: it says nothing. */
const small = (value: string | undefined): boolean | undefined => {
  const [, number, unit = 'px'] = /^([\d.]+)(px|pt|em|rem|%|vw|vh|mm)?(?:\s*!important)?$/.exec(value ?? '') ?? [];
  return number === undefined ? undefined : Number(number) <= (isSmall[unit] ?? 0);
};

const nothing = (value: string | undefined): boolean => /^0(?:\.0+)?(?:px|pt|em|rem|%)?\b/.test(value ?? '');
const farOff = (value: string | undefined): boolean => /^-\d{3,}(?:\.\d+)?(?:px|pt|em|%)?\b/.test(value ?? '');

export type Declarations = ReadonlyMap<string, string>;

const telling = new Set(
  `display visibility opacity font-size color background background-color overflow height max-height width max-width
  mso-hide text-indent position left top right clip clip-path transform`.split(/\s+/),
);
const mostDeclarations = 100;
const longestValue = 200;

const withoutComments = (css: string): string => {
  const kept: string[] = [];
  let at = 0;
  for (;;) {
    const open = css.indexOf('/*', at);
    kept.push(css.slice(at, open < 0 ? undefined : open));
    const close = open < 0 ? -1 : css.indexOf('*/', open + 2);
    if (close < 0) return kept.join('');
    at = close + 2;
  }
};

/** The declarations that decide whether text is seen. */
export const readDeclarations = (style: string): Declarations => {
  const declarations = new Map<string, string>();
  for (const part of withoutComments(style).toLowerCase().split(';', mostDeclarations)) {
    const colon = part.indexOf(':');
    const name = part.slice(0, Math.max(0, colon)).trim();
    if (telling.has(name)) declarations.set(name, part.slice(colon + 1, colon + longestValue).trim());
  }
  return declarations;
};

const isGone = (style: Declarations): boolean => {
  const clipped = /^(?:hidden|clip)/.test(style.get('overflow') ?? '');
  const flat = ['height', 'max-height', 'width', 'max-width'].some((name) => nothing(style.get(name)));
  const opacity = /^[\d.]+/.exec(style.get('opacity') ?? '');
  return (
    /^none\b/.test(style.get('display') ?? '') ||
    /^all\b/.test(style.get('mso-hide') ?? '') ||
    (opacity !== null && Number(opacity[0]) < 0.1) ||
    (clipped && flat) ||
    farOff(style.get('text-indent')) ||
    (/^(?:absolute|fixed)/.test(style.get('position') ?? '') &&
      ['left', 'top', 'right'].some((side) => farOff(style.get(side)))) ||
    /^rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?/.test(style.get('clip') ?? '') ||
    /^inset\((?:50|100)%/.test(style.get('clip-path') ?? '') ||
    /^scale[xy]?\(0/.test(style.get('transform') ?? '')
  );
};

/** The look inside an element, from the look around it and its own style. */
export const lookWithin = (around: Look, declared: Declarations, attributes: ReadonlyMap<string, string>): Look => {
  if (declared.size === 0 && attributes.size === 0) return around;
  const visibility = declared.get('visibility');
  const size = /[\d.]+(?:px|pt|em|rem|%|vw|vh|mm)?/.exec(declared.get('font-size') ?? '')?.[0];
  const paint = readColor(declared.get('color') ?? attributes.get('color')?.toLowerCase() ?? '');
  const behind =
    declared.get('background-color') ?? declared.get('background') ?? attributes.get('bgcolor')?.toLowerCase();
  const ground = attributes.has('background') ? { color: 'unknown' as const, clear: false } : readColor(behind ?? '');
  return {
    gone: around.gone || attributes.has('hidden') || isGone(declared) || paint?.clear === true,
    invisible: visibility === undefined ? around.invisible : /^(?:hidden|collapse)/.test(visibility),
    tiny: small(size) ?? around.tiny,
    color: paint?.color ?? around.color,
    background: ground === undefined || ground.clear ? around.background : ground.color,
  };
};

const sameTo = 16;

/** Whether a person would see text of this look. */
export const isSeen = ({ gone, invisible, tiny, color, background }: Look): boolean => {
  if (gone || invisible || tiny) return false;
  if (color === 'unknown' || background === 'unknown') return true;
  return color.some((part, at) => Math.abs(part - (background[at] ?? 0)) > sameTo);
};

const mostRules = 2_000;

/** Adds style rules by their selector, as far as that is one tag, class or id. Rules for print or small screens do not count. */
export const readSheet = (css: string, rules: Map<string, Declarations>): void => {
  const text = withoutComments(css);
  let at = 0;
  for (let count = 0; count < mostRules; count += 1) {
    const open = text.indexOf('{', at);
    if (open < 0) break;
    const selectors = text
      .slice(at, open)
      .replace(/<!--|-->/g, '')
      .trim();
    if (selectors.startsWith('@')) {
      at = endOfBlock(text, open);
      continue;
    }
    const close = text.indexOf('}', open);
    if (close < 0) break;
    const declared = readDeclarations(text.slice(open + 1, close));
    for (const selector of declared.size === 0 ? [] : selectors.toLowerCase().split(',', 50)) {
      const key = selector.trim();
      if (/^[.#]?[\w-]+$/.test(key)) rules.set(key, new Map([...(rules.get(key) ?? []), ...declared]));
    }
    at = close + 1;
  }
};

const endOfBlock = (text: string, open: number): number => {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    else if (text[at] === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
};
