import { isDeepStrictEqual } from 'node:util';
import { Fault } from '#kit';
import type { Agent, ToolDefinition } from '#runs';

type Values = Record<string, unknown>;
type Named = Pick<ToolDefinition, 'inputs'> & { id: string };

/** What an agent's builder chose for a tool's inputs. What an event would bring is open here: there is none. */
export const fixedFor = (agent: Agent | undefined, { id, inputs }: Named): Values => {
  if (agent === undefined || (agent.runner.type === 'tool' && agent.runner.toolId !== id)) return {};
  const constant = Object.entries(agent.runner.input).filter(([, value]) => !JSON.stringify(value).includes('{{'));
  return Object.fromEntries(constant.filter(([name]) => inputs.some((input) => input.name === name)));
};

/**
 * The arguments beside what was chosen for the agent. It uses the accounts it was given and no other, and what a model is
 * not to choose it does not choose from here either.
 */
export const withFixed = (agent: Agent | undefined, tool: Named, given: Values): Values => {
  const fixed = fixedFor(agent, tool);
  const isOpen = (name: string) =>
    agent?.runner.type === 'tool' && tool.inputs.some((input) => input.name === name && input.type !== 'account');
  const others = Object.keys(fixed).filter(
    (name) => Object.hasOwn(given, name) && !isOpen(name) && !isDeepStrictEqual(given[name], fixed[name]),
  );
  if (others.length === 0) return { ...fixed, ...given };
  const fields = others.map((field) => ({ field, message: 'is fixed for this agent; leave it out' }));
  throw new Fault('invalid_input', 'The arguments do not fit.', { details: { fields } });
};
