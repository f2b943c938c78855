import { findZone } from '../zones.ts';

/** A place instead of a Windows zone, which hardly anybody knows by name. Those of bare offsets have no place. */
const placeOf = (name: string): string => {
  const zone = findZone(name);
  const isPlaced = zone !== undefined && zone.name === zone.windows && !zone.iana.startsWith('Etc/');
  return isPlaced ? zone.iana : name;
};

/** The times of an event with zones that people know; the service is told them by Windows names. */
export const withKnownZones = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withKnownZones);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [
    name,
    typeof each === 'string' && /timezone$/i.test(name) ? placeOf(each) : withKnownZones(each),
  ]);
  return Object.fromEntries(entries);
};
