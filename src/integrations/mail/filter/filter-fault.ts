import { Fault } from '#kit';

/** Why a filter is refused, and where: `position` counts characters from 1. */
export class FilterFault extends Fault {
  readonly position: number;
  readonly length: number;
  readonly reason: string;

  constructor(position: number, length: number, reason: string) {
    super('invalid_input', `Position ${position}: ${reason}`, { details: { position, length, reason } });
    this.name = 'FilterFault';
    this.position = position;
    this.length = length;
    this.reason = reason;
  }
}

/** A stretch of the filter's text; `at` counts from 0, and both in units of UTF-16. */
export type Stretch = { at: number; length: number };

const charactersOf = (text: string): string[] => Array.from(text);

/** Whoever reads a place counts characters, some of which take two units. */
export const placedIn = (text: string, { position, length, reason }: FilterFault): FilterFault => {
  const before = text.slice(0, position - 1);
  const there = text.slice(position - 1, position - 1 + length);
  return new FilterFault(charactersOf(before).length + 1, charactersOf(there).length, reason);
};

export const refuse = ({ at, length }: Stretch, reason: string): never => {
  throw new FilterFault(at + 1, length, reason);
};

const longestShown = 40;

/** What was written, short enough for a message. */
export const shown = (text: string): string => {
  const characters = charactersOf(text);
  return `"${characters.length > longestShown ? `${characters.slice(0, longestShown).join('')}…` : text}"`;
};
