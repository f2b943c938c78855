import type { UsesOfEvent } from '#kit';
import { compile } from '../templates/template.ts';
import type { AgentDefinition } from './definition.ts';

/** A model and another platform are told the whole event; a tool gets what is mapped for it. */
export const usesOfEvent = ({ runner }: Pick<AgentDefinition, 'runner'>): UsesOfEvent => {
  if (runner.type !== 'tool') return () => true;
  const mapped = compile(runner.input, 'runner.input').placeholders.map(({ path }) => path);
  return (part) => {
    const place = ['event', 'data', ...part];
    // A part of it, or all that it is part of.
    return mapped.some((path) => path.slice(0, place.length).every((step, at) => step === place[at]));
  };
};
