/** The least round number that is not below the greatest count; its half is whole where it can be. */
export const niceMost = (greatest: number): number => {
  if (greatest <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(greatest));
  const [factor = 10] = [1, 2, 4, 6, 8, 10].filter((each) => each * power >= greatest);
  return factor * power === 1 ? 2 : factor * power;
};
