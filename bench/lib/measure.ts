import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds on the machine's one steady clock, which all its processes share. */
export const instant = (): number => Number(process.hrtime.bigint()) / 1e6;

const fieldsOf = (pid: number | string): string[] => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
};
const ticks = (fields: readonly string[], ...places: number[]): number =>
  places.reduce((sum, place) => sum + Number(fields[place]), 0) / 100;

export const cpuSeconds = (pid: number): number => ticks(fieldsOf(pid), 11, 12);

/** Of a process, the children it has and those that ended: a database server with its connections. */
export const familyCpuSeconds = (pid: number): number => {
  let seconds = ticks(fieldsOf(pid), 11, 12, 13, 14);
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = fieldsOf(name);
      if (Number(fields[1]) === pid) seconds += ticks(fields, 11, 12);
    } catch {
      // It ended between the listing and the look.
    }
  }
  return seconds;
};

export const memoryMb = (pid: number): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);

/** The value that this share of all lie below. */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

export const median = (values: readonly number[]): number => percentile(values, 0.5);
