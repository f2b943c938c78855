const place = 'switchboard-wanted';
/** As long as a link to sign in may take to come. */
const keptMs = 86_400_000;

/** A path of these pages, and of no other host: browsers read `//` and `/\` as the start of one. */
export const isOwnPath = (path: string): boolean => /^\/(?![/\\])/.test(path);

/** What was asked for by whoever is not signed in. A link that signs in leads to the overview, maybe in another tab. */
export const keepWanted = ({ pathname, search, hash }: Location): void =>
  localStorage.setItem(place, `${Date.now()} ${pathname}${search}${hash}`);

/** What was asked for before, told once. */
export const takeWanted = (): string | undefined => {
  const [, at = '', path = ''] = /^(\d+) (.*)$/.exec(localStorage.getItem(place) ?? '') ?? [];
  localStorage.removeItem(place);
  return isOwnPath(path) && Date.now() - Number(at) < keptMs ? path : undefined;
};
