import { fill } from '../templates/index.ts';
import type { CompiledAgent } from '../versions.ts';

/**
 * What a model does not choose: the agent's own mapping of the event. Started by hand, there is no event, and what the
 * caller gives under the same name takes the place of what the mapping would have brought.
 */
export const fixedInputs = ({ mapping }: CompiledAgent, started: Record<string, unknown>): Record<string, unknown> => {
  const { event, input = {} } = started as { event?: unknown; input?: Record<string, unknown> };
  return Object.fromEntries(
    mapping.map(([name, template]) => [
      name,
      Object.hasOwn(input, name) ? input[name] : fill(template, { event }, `runner.input.${name}`),
    ]),
  );
};
