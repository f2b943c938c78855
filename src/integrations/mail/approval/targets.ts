import { decodeEntities } from '../body/entities.ts';
import { elementsIn, tagsIn } from '../body/markup.ts';

const attributes =
  /\b(href|src|srcset|background|action|formaction|poster|data|ping|style)\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi;
const addresses = /url\(\s*["']?([^)"']*)/gi;

const addressesIn = (css: string): string[] => [...css.matchAll(addresses)].map(([, address = '']) => address.trim());

const loadedBy = (tag: string): string[] =>
  [...tag.matchAll(attributes)].flatMap(([, name = '', written = '']) => {
    const value = decodeEntities(written.replace(/^(["'])(.*)\1$/s, '$2')).trim();
    return name.toLowerCase() === 'style' ? addressesIn(value) : [value];
  });

/** Where markup leads and what it loads, in its order: what two texts of the same words can still differ in. */
export const targetsIn = (html: string): string[] => {
  const found: string[] = [];
  for (const { tag } of tagsIn(html)) for (const each of loadedBy(tag)) found.push(each);
  for (const { from, to } of elementsIn(html, 'style')) {
    for (const each of addressesIn(html.slice(from, to))) found.push(each);
  }
  return found;
};
