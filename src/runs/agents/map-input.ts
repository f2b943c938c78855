import { fill } from '../templates/index.ts';
import { refuseProblems } from '../tools/inputs.ts';
import type { CompiledAgent, CompiledTool } from '../versions.ts';

/**
 * What an agent's tool is given: the agent's mapping of the event. Started by hand, there is no event, and what the
 * caller gives takes the place of what the mapping would have brought.
 */
export const mapInput = (
  { mapping }: CompiledAgent,
  { inputs }: Pick<CompiledTool, 'inputs'>,
  started: Record<string, unknown>,
): Record<string, unknown> => {
  const { event, input = {} } = started as { event?: unknown; input?: Record<string, unknown> };
  const known = new Set(inputs.map(({ name }) => name));
  const unknown = Object.keys(input).filter((name) => !known.has(name));
  if (unknown.length > 0) {
    const problems = unknown.map((name) => ({
      field: `input.${name}`,
      message: "is not an input of the agent's tool",
    }));
    throw refuseProblems('The input does not fit.', problems);
  }
  const mapped = mapping
    .filter(([name]) => !Object.hasOwn(input, name))
    .map(([name, template]) => [name, fill(template, { event }, `runner.input.${name}`)] as const);
  return Object.fromEntries([...mapped, ...Object.entries(input)]);
};
