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

/** A stretch of the filter's text; `at` counts from 0. */
export type Stretch = { at: number; length: number };

export const refuse = ({ at, length }: Stretch, reason: string): never => {
  throw new FilterFault(at + 1, length, reason);
};

const longestShown = 40;

/** What was written, short enough for a message. */
export const shown = (text: string): string =>
  `"${text.length > longestShown ? `${text.slice(0, longestShown)}…` : text}"`;
