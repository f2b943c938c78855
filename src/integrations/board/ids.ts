/* The service's ids begin with the second in which they were made, and sort by it. */

const lowest = '0'.repeat(16);

const withSecond = (second: number): string =>
  Math.min(Math.max(second, 0), 0xff_ff_ff_ff).toString(16).padStart(8, '0') + lowest;

/** Below every id of that second and above every earlier one. */
export const firstIdAt = (time: Date): string => withSecond(Math.floor(time.getTime() / 1000));

/** Below every id made in the given seconds before this one. */
export const secondsBefore = (id: string, seconds: number): string =>
  withSecond(Number.parseInt(id.slice(0, 8), 16) - seconds);

/** The id right before this one: asking for what comes after it includes this one. */
export const justBefore = (id: string): string => {
  const value = BigInt(`0x${id}`);
  return (value === 0n ? 0n : value - 1n).toString(16).padStart(24, '0');
};
