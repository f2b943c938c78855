import { Gauge, type Registry } from 'prom-client';

type Figure = { name: string; help: string; label?: string; values: { label?: string; value: number }[] };

const keptMs = 15_000;

/** The state of the whole house as gauges: what it answers reads them anew, but not more often than every few seconds. */
export const addHouseGauges = (registry: Registry, read: () => Promise<Figure[]>, now: () => number) => {
  const gauges = new Map<string, Gauge>();
  const gauge = (name: string, help: string, label: string | undefined): Gauge => {
    const known = gauges.get(name);
    if (known !== undefined) return known;
    const made = new Gauge({ name, help, labelNames: label === undefined ? [] : [label], registers: [registry] });
    gauges.set(name, made);
    return made;
  };
  let readAt = Number.NEGATIVE_INFINITY;

  const up = gauge('switchboard_storage_up', 'Whether the database answers.', undefined);

  return async (): Promise<void> => {
    if (now() - readAt < keptMs) return;
    try {
      const figures = await read();
      readAt = now();
      for (const { name, help, label, values } of figures) {
        const shown = gauge(`switchboard_${name}`, help, label);
        shown.reset();
        for (const { label: of, value } of values) {
          if (label === undefined) shown.set(value);
          else shown.set({ [label]: of ?? '' }, value);
        }
      }
      up.set(1);
    } catch {
      // The numbers of before would be taken for those of now.
      for (const each of gauges.values()) each.reset();
      up.set(0);
    }
  };
};
