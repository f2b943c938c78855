import { browserStore } from '../data/browser-store.ts';

const place = 'switchboard-wanted';
/** As long as a link to sign in may take to come. */
const keptMs = 86_400_000;

/** A path of these pages, and of no other host: browsers read `//` and `/\` as the start of one. */
export const isOwnPath = (path: string): boolean => /^\/(?![/\\])/.test(path);

/**
 * What was asked for by whoever is not signed in. A link that signs in leads to the overview, maybe in another tab, and so does one that is
 * spent: the overview is no wish.
 */
export const keepWanted = ({ pathname, search, hash }: Location): void => {
  const path = `${pathname}${search}${hash}`;
  if (path !== '/') browserStore.keep(place, `${Date.now()} ${path}`);
};

/** Whoever leaves on purpose asks for nothing more. */
export const forgetWanted = (): void => browserStore.forget(place);

/** What was asked for before, told once. */
export const takeWanted = (): string | undefined => {
  const [, at = '', path = ''] = /^(\d+) (.*)$/.exec(browserStore.read(place) ?? '') ?? [];
  forgetWanted();
  return isOwnPath(path) && Date.now() - Number(at) < keptMs ? path : undefined;
};
