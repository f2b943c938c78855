/** Whether a value out of JSON nests deeper than so many levels. Asked of the value: its text is longer to look through. */
export const isDeeper = (value: unknown, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((each) => isDeeper(each, levels - 1));
  const fields = value as Record<string, unknown>;
  for (const name in fields) if (isDeeper(fields[name], levels - 1)) return true;
  return false;
};

/** Whether a value out of JSON consists of more than so many. */
export const holdsMore = (value: unknown, most: number): boolean => {
  let left = most;
  const goesOver = (each: unknown): boolean => {
    left -= 1;
    if (left < 0) return true;
    if (typeof each !== 'object' || each === null || ArrayBuffer.isView(each)) return false;
    return Object.values(each).some(goesOver);
  };
  return goesOver(value);
};
