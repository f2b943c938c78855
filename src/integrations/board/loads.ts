import type { UpstreamRequest } from '#kit';

type Field = { name: string; text: string };

const fieldsIn = (given: unknown, name: string): Field[] => {
  if (typeof given === 'string') return [{ name, text: given }];
  if (typeof given !== 'object' || given === null || given instanceof Uint8Array) return [];
  return Object.entries(given).flatMap(([key, each]) => fieldsIn(each, `${name}/${key}`));
};

const address = /^\s*<?(?:https?:|[/\\]{2})\S+\s*$/i;
// What the service shows of itself is loaded from nobody else.
const own = /^https:\/\/trello\.com\/[^\s\\!]*$/;

/** Whether the service loads what is there, or has it loaded by whoever looks at the card. */
const isLoaded = ({ name, text }: Field): boolean => {
  if (own.test(text)) return false;
  if (/url/i.test(name)) return text !== '';
  if (/cover|image|source/i.test(name)) return /[:/\\]/.test(text);
  // A card that is called like an address shows what is there, and texts show their pictures.
  return (/\/name$/i.test(name) && address.test(text)) || text.includes('![');
};

/** Addresses that a write gives the service to load or to show. A text with pictures counts as a whole. */
export const loads = ({ path, query, body }: Pick<UpstreamRequest, 'path' | 'query' | 'body'>): string[] => {
  // One field that is told as its value goes by the name at the end of the path.
  const last = path.replace(/\/+$/, '').split('/').at(-1) ?? '';
  return [query, body]
    .flatMap((given) => fieldsIn(given, ''))
    .map(({ name, text }) => ({ name: name.replace(/^\/value(?=\/|$)/, `/${last}`), text }))
    .filter(isLoaded)
    .map(({ text }) => text);
};
