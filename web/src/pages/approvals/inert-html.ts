import DOMPurify, { type Config } from 'dompurify';

/** A link as it reads, and where it leads. */
export type FoundLink = { text: string; to: string };

/** A body that can do nothing: no script, no address it would load or lead to, no form, no sheet of styles. */
export type InertHtml = {
  html: string;
  links: FoundLink[];
  /** Where whoever reads the mail would load images from. */
  imageHosts: string[];
};

// Our policy refuses styles already while a source is read, so they are read under a name that no source can know.
const aside = `data-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`;
const setAside = (source: string): string => source.replaceAll(/([\s"'/])style(?=\s*=)/gi, `$1${aside}`);
const putBack = (text: string): string => text.replaceAll(aside, 'style');

// Sheets of styles could hide or cover things by name; names and ids could take the place of the page's own.
const forbidden = {
  FORBID_TAGS: [
    ...['style', 'form', 'input', 'button', 'textarea', 'select', 'svg', 'math', 'video', 'audio', 'source', 'picture'],
    ...['track', 'dialog', 'template', 'slot', 'link', 'meta', 'base', 'iframe', 'object', 'embed', 'map', 'area'],
  ],
  FORBID_ATTR: ['srcset', 'background', 'poster', 'ping', 'id', 'name', 'class', 'action', 'usemap', 'popover', 'slot'],
  ALLOW_DATA_ATTR: false,
  ADD_ATTR: [aside],
  ADD_URI_SAFE_ATTR: [aside],
  RETURN_DOM_FRAGMENT: true as const,
} satisfies Config & { RETURN_DOM_FRAGMENT: true };

const loads = /url\s*\(|image-set|expression|@import|\\/i;
const outOfPlace = new Set(['position', 'inset', 'z-index', 'top', 'left', 'right', 'bottom', 'content', 'cursor']);

const hostOf = (address: string): string => {
  try {
    return new URL(address).host || address.slice(0, 80);
  } catch {
    return address.slice(0, 80);
  }
};

/** What of an element's own style is kept: nothing that loads, and nothing that leaves its place. */
const calmStyle = (given: string): string => {
  const { style } = document.createElement('span');
  style.cssText = given;
  return Array.from(style)
    .filter((name) => !outOfPlace.has(name) && !loads.test(style.getPropertyValue(name)))
    .map((name) => `${name}: ${style.getPropertyValue(name)}`)
    .join('; ');
};

const imageNote = (image: Element, to: string): Element => {
  const note = document.createElement('span');
  const alt = image.getAttribute('alt') ?? '';
  note.textContent = `[image from ${hostOf(to)}, not loaded${alt === '' ? '' : `: ${alt}`}]`;
  note.dataset['style'] = 'border: 1px dashed #8690a2; padding: 2px 6px; color: #515c6f; font-size: 12px';
  return note;
};

/** Makes a body inert. Styles of elements wait in `data-style`: our pages admit none in the source. */
export const makeInert = (source: string): InertHtml => {
  const body = DOMPurify.sanitize(setAside(source), forbidden);
  const links: FoundLink[] = [];
  const imageHosts = new Set<string>();
  for (const element of body.querySelectorAll<HTMLElement>('*')) {
    const given = element.getAttribute(aside);
    element.removeAttribute(aside);
    if (given !== null) element.dataset['style'] = calmStyle(given);
    const to = element.getAttribute('href');
    if (to !== null) {
      links.push({ text: putBack(element.textContent).trim(), to: putBack(to) });
      element.removeAttribute('href');
      element.title = to;
      element.dataset['link'] = '';
    }
    const from = element.getAttribute('src');
    if (from !== null && !/^data:image\/(?:png|jpeg|gif|webp);/i.test(from)) {
      imageHosts.add(hostOf(from));
      element.replaceWith(imageNote(element, from));
    }
  }
  const holder = document.createElement('div');
  holder.append(body);
  return { html: putBack(holder.innerHTML), links, imageHosts: [...imageHosts] };
};
