const orNothing = <Value>(act: () => Value): Value | undefined => {
  try {
    return act();
  } catch {
    return undefined;
  }
};

/** What the browser keeps for later. Where it refuses to, or has no room left, nothing is kept and nothing breaks. */
const storeIn = (area: () => Storage) => ({
  read: (place: string): string | undefined => orNothing(() => area().getItem(place)) ?? undefined,
  keep: (place: string, text: string): void => orNothing(() => area().setItem(place, text)),
  forget: (place: string): void => orNothing(() => area().removeItem(place)),
});

/** For all windows, until it is forgotten. */
export const browserStore = storeIn(() => localStorage);

/** For this tab. */
export const tabStore = storeIn(() => sessionStorage);
