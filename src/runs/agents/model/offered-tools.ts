import { Fault, placeAt, storableJson } from '#kit';
import type { ToolInput } from '../../tools/definition.ts';
import { refuseProblems } from '../../tools/inputs.ts';
import type { CompiledTool } from '../../versions.ts';
import type { OfferedTool } from './port.ts';

/** A tool of the agent in the version that the run began with, under the name that the model calls it by. */
export type HeldTool = { name: string; toolId: string; version: number; tool: CompiledTool };

const longest = 64;

/** Names as every provider takes them, each once. */
export const callNames = (names: readonly string[]): string[] => {
  const taken = new Set<string>();
  return names.map((given) => {
    const plain = given
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '_')
      .replaceAll(/^_+|_+$/g, '');
    const base = (plain === '' ? 'tool' : plain).slice(0, longest - 4);
    let name = base;
    for (let n = 2; taken.has(name); n++) name = `${base}_${n}`;
    taken.add(name);
    return name;
  });
};

const schemaOf = ({ type, description, default: given }: ToolInput): Record<string, unknown> => ({
  type: type === 'account' ? 'string' : type,
  ...(type === 'array' ? { items: {} } : {}),
  ...(description === undefined ? {} : { description }),
  ...(given === undefined ? {} : { default: given }),
});

/** A tool as whoever calls it sees it: without the inputs that are not theirs to choose. */
export const offer = (
  { name, tool }: Pick<HeldTool, 'name' | 'tool'>,
  fixed: Readonly<Record<string, unknown>>,
): OfferedTool => {
  const open = tool.inputs.filter((input) => !Object.hasOwn(fixed, input.name));
  const required = open.filter((input) => input.required && input.default === undefined).map((input) => input.name);
  return {
    name,
    description: tool.description === '' ? tool.name : tool.description,
    schema: {
      type: 'object',
      properties: Object.fromEntries(open.map((input) => [input.name, schemaOf(input)])),
      required,
      additionalProperties: false,
    },
  };
};

const readArguments = (text: string): Record<string, unknown> => {
  let value: unknown;
  try {
    value = JSON.parse(text.trim() === '' ? '{}' : storableJson(text));
  } catch {
    throw new Fault('invalid_input', 'The arguments are not valid JSON; call the tool again with one JSON object.');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Fault('invalid_input', 'The arguments must be one JSON object.');
};

/**
 * What was chosen beside what was fixed. Choosing what is fixed is refused as if there were no such input. A model that
 * leaves something out often says null, which no input takes.
 */
export const besideFixed = (
  { inputs }: Pick<CompiledTool, 'inputs'>,
  told: Readonly<Record<string, unknown>>,
  fixed: Readonly<Record<string, unknown>>,
): Record<string, unknown> => {
  const chosen = Object.fromEntries(Object.entries(told).filter(([, value]) => value !== null));
  const problems = Object.keys(chosen)
    .filter((name) => Object.hasOwn(fixed, name))
    .map((name) => ({ field: placeAt('input', name), message: 'is not an input of this tool' }));
  if (problems.length > 0) throw refuseProblems('The input does not fit this tool.', problems);
  const names = new Set(inputs.map(({ name }) => name));
  return { ...chosen, ...Object.fromEntries(Object.entries(fixed).filter(([name]) => names.has(name))) };
};

/** What a tool is given when the model calls it: the model's arguments beside what was fixed for it. */
export const givenTo = (
  { tool }: HeldTool,
  text: string,
  fixed: Readonly<Record<string, unknown>>,
): Record<string, unknown> => besideFixed(tool, readArguments(text), fixed);
