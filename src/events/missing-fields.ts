import type { CatalogueTrigger } from '#kit';
import { leadsOn, takenFromEvent } from '#runs';

/**
 * What the inputs of an agent take from an event and no event of this type has: each run that it starts fails there. The web
 * app's missing-fields.ts tells the same of a trigger that is not saved yet.
 */
export const missingFields = (input: Record<string, unknown>, { event }: CatalogueTrigger): string[] =>
  takenFromEvent(input).flatMap(({ text, path }) => (leadsOn(event, path) ? [] : [text]));
