import type { FoundLink } from './inert-html.ts';

const bare = (host: string): string => host.toLowerCase().replace(/^www\./, '');

const nothing = /[\p{Cf}\p{Cc}]/gu;
const alone = /^(?:https?:\/\/)?((?:[\p{L}\p{M}\p{N}_-]+\.)+\p{L}{2,})(?:[/:?#]\S*)?$/iu;
const within = /(?:https?:\/\/|\bwww\.)((?:[\p{L}\p{M}\p{N}_-]+\.)+\p{L}{2,})/giu;

/** As the browser would look for it: the same name in another script is another. */
const hostOf = (host: string): string => {
  try {
    return bare(new URL(`https://${host}`).hostname);
  } catch {
    return bare(host);
  }
};

/** The addresses that a link's words promise, where they look like some. */
const promised = (text: string): string[] => {
  const words = text.replace(nothing, '').trim();
  const [, host] = alone.exec(words) ?? [];
  const hosts = host === undefined ? [...words.matchAll(within)].map(([, each = '']) => each) : [host];
  return hosts.map(hostOf);
};

/** Whether a link leads elsewhere than its words say. */
export const misleads = ({ text, to }: FoundLink): boolean => {
  const hosts = promised(text);
  if (hosts.length === 0 || /^mailto:/i.test(to)) return false;
  try {
    const led = bare(new URL(to).hostname);
    return hosts.some((each) => each !== led);
  } catch {
    return true;
  }
};
