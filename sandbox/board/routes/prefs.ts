import type { Input } from '../input.ts';
import { invalidValue } from '../refusal.ts';

const choices: Record<string, readonly string[]> = {
  permissionLevel: ['org', 'private', 'public'],
  voting: ['disabled', 'members', 'observers', 'org', 'public'],
  comments: ['disabled', 'members', 'observers', 'org', 'public'],
  invitations: ['admins', 'members'],
  cardAging: ['pirate', 'regular'],
};
const flags = ['selfJoin', 'cardCovers', 'hideVotes', 'calendarFeedEnabled', 'isTemplate'];
const backgrounds = ['blue', 'orange', 'green', 'red', 'purple', 'pink', 'lime', 'sky', 'grey', 'gradient-snow'];

/** `prefs_voting` when a board is made, `prefs/voting` when it is changed, `prefs: {voting}` in JSON. */
export const prefsFrom = (
  input: Input,
  prefix: 'prefs_' | 'prefs/',
): { values: Record<string, unknown>; badBackground: boolean } => {
  const values: Record<string, unknown> = {};
  const nested = input.raw('prefs');
  const raw = (name: string): unknown => {
    if (input.has(prefix + name)) return input.raw(prefix + name);
    return typeof nested === 'object' && nested !== null ? (nested as Record<string, unknown>)[name] : undefined;
  };
  for (const [name, allowed] of Object.entries(choices)) {
    const value = raw(name);
    if (value === undefined) continue;
    if (typeof value !== 'string' || !allowed.includes(value)) throw invalidValue(prefix + name);
    values[name] = value;
  }
  for (const name of flags) {
    const value = raw(name);
    if (value === undefined) continue;
    if (value !== true && value !== false && value !== 'true' && value !== 'false') throw invalidValue(prefix + name);
    values[name] = value === true || value === 'true';
  }
  const background = raw('background');
  const known = background === undefined || (typeof background === 'string' && isBackground(background));
  if (background !== undefined && known) values['background'] = background;
  return { values, badBackground: !known };
};

const isBackground = (value: string): boolean => backgrounds.includes(value) || /^[0-9a-f]{24}$/.test(value);
