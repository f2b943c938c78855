import { type Token, tokensOf } from './html-tokens.ts';
import { withoutInvisible } from './invisible.ts';
import { type Declarations, isSeen, type Look, lookWithin, plainLook, readDeclarations, readSheet } from './styles.ts';

const voids = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'track',
  'wbr',
]);
const blocks = new Set(
  `address article aside blockquote body center dd details div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr
  html li main nav ol p pre section table tbody tfoot thead tr ul`.split(/\s+/),
);
const spaced = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'pre', 'blockquote', 'table']);
/** Which open elements an element ends by starting, and where looking for them stops. */
const endedBy: Readonly<Record<string, readonly [ended: ReadonlySet<string>, boundary: ReadonlySet<string>]>> = {
  li: [new Set(['li']), new Set(['ul', 'ol', 'table'])],
  tr: [new Set(['tr']), new Set(['table'])],
  td: [new Set(['td', 'th']), new Set(['table', 'tr'])],
  th: [new Set(['td', 'th']), new Set(['table', 'tr'])],
  dt: [new Set(['dt', 'dd']), new Set(['dl', 'table'])],
  dd: [new Set(['dt', 'dd']), new Set(['dl', 'table'])],
};
const paragraph = new Set(['p']);
const cells = new Set(['td', 'th', 'table']);
const deepest = 400;
const longestLink = 300;
const mostClasses = 8;
const nothing: Declarations = new Map();

// Mail programs wrap what they quote, or mark where it begins.
const quoteClass =
  /(?:^|\s)(?:gmail_quote|gmail_extra|yahoo_quoted|protonmail_quote|moz-cite-prefix|zmail_extra|tutanota_quote)(?:\s|$)/i;
const tailId =
  /^(?:divRplyFwdMsg|x_divRplyFwdMsg|appendonsend|x_appendonsend|OLK_SRC_BODY_SECTION|isReplyContent|reply-intro)$/i;
const outlookRule = /border:\s*none;\s*border-top:\s*solid\s+#?(?:e1e1e1|b5c4df)/i;

type Attributes = ReadonlyMap<string, string>;

const beginsTail = (attributes: Attributes): boolean =>
  tailId.test(attributes.get('id') ?? '') || outlookRule.test(attributes.get('style') ?? '');
const quotes = (name: string, attributes: Attributes): boolean =>
  (name === 'blockquote' && /^cite$/i.test(attributes.get('type') ?? '')) ||
  quoteClass.test(attributes.get('class') ?? '');

type Frame = { name: string; look: Look; pre: boolean; quoted: boolean; href?: string; from?: number; item?: number };

const blanks = /[\s\u00a0]/;

/** Collects text with blanks and empty lines as a reader would see them. */
class Page {
  readonly parts: string[] = [];
  #pending: '' | ' ' | '\n' | '\n\n' = '';
  #length = 0;

  get length(): number {
    return this.#length;
  }

  break(lines: '\n' | '\n\n'): void {
    if (this.#length > 0 && this.#pending !== '\n\n') this.#pending = lines;
  }

  line(): void {
    if (this.#length === 0) return;
    this.#pending = this.#pending.startsWith('\n') ? '\n\n' : '\n';
  }

  write(text: string, pre: boolean): void {
    if (pre || !blanks.test(text)) return this.#put(text);
    const words = text.replace(/[\s\u00a0]+/g, ' ');
    const inner = words.trim();
    if (words.startsWith(' ') && this.#length > 0 && this.#pending === '') this.#pending = ' ';
    if (inner !== '') this.#put(inner);
    if (inner !== '' && words.endsWith(' ')) this.#pending = ' ';
  }

  #put(text: string): void {
    this.parts.push(this.#pending === '' ? text : this.#pending + text);
    this.#length += this.#pending.length + text.length;
    this.#pending = '';
  }
}

class Reader {
  readonly all = new Page();
  readonly own = new Page();
  quoted = false;
  hides = false;
  readonly #everything: boolean;
  readonly #quotation: readonly Page[] = [this.all];
  readonly #pagesOfOwn: readonly Page[];
  #stack: Frame[] = [{ name: '', look: plainLook, pre: false, quoted: false }];
  #open = new Map<string, number>();
  #tooDeep = 0;
  #tail = false;
  #sheet = new Map<string, Declarations>();

  constructor(everything: boolean) {
    this.#everything = everything;
    // Whoever wants every word does not want those alone that are new.
    this.#pagesOfOwn = everything ? this.#quotation : [this.all, this.own];
  }

  get #top(): Frame {
    return this.#stack.at(-1) as Frame;
  }

  read(token: Token): void {
    if (token.kind === 'style') readSheet(token.text, this.#sheet);
    else if (token.kind === 'text') this.#write(token.text);
    else if (token.kind === 'open') this.#start(token.name, token.attributes);
    else this.#end(token.name);
  }

  #pages(): readonly Page[] {
    return this.#tail || this.#top.quoted ? this.#quotation : this.#pagesOfOwn;
  }

  #write(written: string): void {
    const text = withoutInvisible(written);
    // What lies deeper than any mail needs is hidden rather than shown without its style.
    const isHidden = this.#tooDeep > 0 || !isSeen(this.#top.look);
    if (isHidden && text.trim() !== '') this.hides = true;
    if (text === '' || (isHidden && !this.#everything)) return;
    const shown = text.trim() !== '' || this.#top.pre;
    if (shown && (this.#tail || this.#top.quoted)) this.quoted = true;
    for (const page of this.#pages()) page.write(text, this.#top.pre);
  }

  #break(name: string): void {
    for (const page of this.#pages()) page.break(spaced.has(name) ? '\n\n' : '\n');
  }

  #styleOf(name: string, attributes: Attributes): Declarations {
    const style = attributes.get('style');
    const own = style === undefined ? nothing : readDeclarations(style);
    if (this.#sheet.size === 0) return own;
    const tag = this.#sheet.get(name) ?? nothing;
    if (!attributes.has('class') && !attributes.has('id')) {
      return tag.size === 0 ? own : own.size === 0 ? tag : new Map([...tag, ...own]);
    }
    const classes = (attributes.get('class') ?? '').toLowerCase().split(/\s+/, mostClasses);
    const keys = [...classes.map((each) => `.${each}`), `#${attributes.get('id')?.toLowerCase()}`];
    return new Map([...tag, ...keys.flatMap((key) => [...(this.#sheet.get(key) ?? [])]), ...own]);
  }

  #start(name: string, attributes: Attributes): void {
    if (this.#tooDeep > 0) {
      if (!voids.has(name)) this.#tooDeep += 1;
      return;
    }
    this.#closeImplied(name);
    if (name === 'br') for (const page of this.#pages()) page.line();
    if (blocks.has(name)) this.#break(name);
    const style = this.#styleOf(name, attributes);
    const isBare = attributes.size === 0;
    if (!isBare && beginsTail(attributes)) this.#tail = true;
    const look = lookWithin(this.#top.look, style, attributes);
    if (name === 'img') this.#image(attributes, look);
    if (voids.has(name)) return;
    if (this.#stack.length >= deepest) {
      this.#tooDeep = 1;
      return;
    }
    const quoted = this.#top.quoted || (!isBare && quotes(name, attributes));
    const frame: Frame = { name, look, pre: this.#top.pre || name === 'pre', quoted };
    if (name === 'a') Object.assign(frame, { href: attributes.get('href') ?? '', from: this.all.length });
    if (name === 'ol') frame.item = 0;
    this.#stack.push(frame);
    this.#open.set(name, (this.#open.get(name) ?? 0) + 1);
    if (name === 'li') this.#bullet();
    if (name === 'td' || name === 'th') this.#write(' ');
  }

  #bullet(): void {
    const list = this.#stack.findLast(({ name }) => name === 'ol' || name === 'ul');
    if (list?.item !== undefined) list.item += 1;
    this.#write(list?.item === undefined ? '- ' : `${list.item}. `);
  }

  #image(attributes: Attributes, look: Look): void {
    const alt = (attributes.get('alt') ?? '').trim();
    const pixel = /^[01]$/.test(attributes.get('width') ?? '') || /^[01]$/.test(attributes.get('height') ?? '');
    if (alt !== '' && ((!pixel && isSeen(look)) || this.#everything)) this.#write(`[image: ${alt.slice(0, 200)}]`);
  }

  #closeImplied(name: string): void {
    if (blocks.has(name)) this.#closeFirst(paragraph, cells);
    const rule = endedBy[name];
    if (rule !== undefined) this.#closeFirst(...rule);
  }

  #closeFirst(ended: ReadonlySet<string>, boundary: ReadonlySet<string>): void {
    let open = false;
    for (const name of ended) open ||= (this.#open.get(name) ?? 0) > 0;
    if (!open) return;
    for (let at = this.#stack.length - 1; at > 0; at -= 1) {
      const { name } = this.#stack[at] as Frame;
      if (ended.has(name)) return this.#closeTo(at);
      if (boundary.has(name)) return;
    }
  }

  #end(name: string): void {
    if (this.#tooDeep > 0) {
      if (!voids.has(name)) this.#tooDeep -= 1;
      return;
    }
    if (name === 'br') return this.#start('br', new Map());
    if ((this.#open.get(name) ?? 0) === 0) return;
    this.#closeTo(this.#stack.findLastIndex((frame) => frame.name === name));
  }

  #closeTo(at: number): void {
    while (this.#stack.length > at) {
      const frame = this.#top;
      if (frame.name === 'a') this.#link(frame);
      if (blocks.has(frame.name)) this.#break(frame.name);
      this.#open.set(frame.name, (this.#open.get(frame.name) ?? 1) - 1);
      this.#stack.pop();
    }
  }

  /** Where a link leads stands behind it, unless its text says so already. */
  #link({ href = '', from = 0 }: Frame): void {
    const address = href.trim();
    if (!/^(?:https?:\/\/|mailto:)/i.test(address) || this.all.length === from) return;
    const said = this.all.parts.slice(-4).join('');
    if (said.includes(address.replace(/^mailto:/i, '').replace(/\/$/, ''))) return;
    this.#write(` <${address.length > longestLink ? `${address.slice(0, longestLink)}…` : address}>`);
  }
}

type Read = { all: string; own: string; quoted: boolean; hides: boolean };

/**
 * What a person reads in an HTML mail: `all`, and `own` without the mails it answers. Hidden text is in neither, unless
 * `everything` is wanted; `hides` says that there is some.
 */
export const htmlToText = (html: string, { everything = false } = {}): Read => {
  const reader = new Reader(everything);
  for (const token of tokensOf(html)) reader.read(token);
  const { all, own, quoted, hides } = reader;
  return { all: all.parts.join(''), own: own.parts.join(''), quoted, hides };
};
