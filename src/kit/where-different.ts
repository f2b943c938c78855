const around = 40;

/**
 * What something was and is, from shortly before where two long texts differ: shortened to their beginnings, both would
 * read the same.
 */
export const whereDifferent = (was: unknown, is: unknown, longest: number): [was: unknown, is: unknown] => {
  if (typeof was !== 'string' || typeof is !== 'string' || was === is) return [was, is];
  if (Math.max(was.length, is.length) <= longest) return [was, is];
  let same = 0;
  while (was[same] === is[same]) same += 1;
  if (same < longest - around) return [was, is];
  const from = (text: string) => `…${text.slice(same - around).replace(/^[\udc00-\udfff]/, '')}`;
  return [from(was), from(is)];
};
