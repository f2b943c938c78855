const plain = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

/** One step further into a request: `steps`, then `steps[1]`, then `steps[1].input`. */
export const placeAt = (place: string, key: string | number): string => {
  if (typeof key === 'number') return `${place}[${key}]`;
  if (!plain.test(key)) return `${place}[${JSON.stringify(key)}]`;
  return place === '' ? key : `${place}.${key}`;
};

/** A field's place in words, wherever one is named: `steps[1].input.cardId`. */
export const placeOf = (path: readonly PropertyKey[], from = ''): string =>
  path.reduce<string>((place, key) => placeAt(place, typeof key === 'number' ? key : String(key)), from);
