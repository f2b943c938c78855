import { decodeEntities } from '../body/entities.ts';

const tags = /<[a-z][^>]*>/gi;
const attributes =
  /\b(href|src|srcset|background|action|formaction|poster|data|ping|style)\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi;
const addresses = /url\(\s*["']?([^)"']*)/gi;

const addressesIn = (css: string): string[] => [...css.matchAll(addresses)].map(([, address = '']) => address.trim());

/** Where markup leads and what it loads, in its order: what two texts of the same words can still differ in. */
export const targetsIn = (html: string): string[] => [
  ...[...html.matchAll(tags)].flatMap(([tag]) =>
    [...tag.matchAll(attributes)].flatMap(([, name = '', written = '']) => {
      const value = decodeEntities(written.replace(/^(["'])(.*)\1$/s, '$2')).trim();
      return name.toLowerCase() === 'style' ? addressesIn(value) : [value];
    }),
  ),
  ...[...html.matchAll(/<style\b[\s\S]*?<\/style>/gi)].flatMap(([sheet]) => addressesIn(sheet)),
];
