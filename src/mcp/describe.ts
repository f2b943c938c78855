import type { Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Catalogue, CatalogueStep, Effect } from '#kit';
import type { RemoteTool, ToolDefinition } from '#runs';
import { getRunName, stepName } from './names.ts';
import { slim } from './slim.ts';

type Schema = Tool['inputSchema'];
type Properties = Record<string, Record<string, unknown>>;

const strength: readonly Effect[] = ['read', 'write', 'send', 'destroy'];

/** What clients may tell people about a tool before it is called. Only hints: each request is judged on the wire. */
const hints = (steps: readonly (CatalogueStep | undefined)[], title: string): NonNullable<Tool['annotations']> => {
  const effects = steps.map((step) => (step === undefined || step.passThrough ? 'destroy' : step.effect));
  const strongest = effects.reduce<Effect>(
    (so, each) => (strength.indexOf(each) > strength.indexOf(so) ? each : so),
    'read',
  );
  return {
    title,
    readOnlyHint: strongest === 'read',
    destructiveHint: strongest === 'destroy',
    idempotentHint: strongest === 'read',
    openWorldHint: true,
  };
};

const accountArgument = (integration: string) => ({
  type: 'string',
  description: `Which ${integration} account (acc_…, or its exact name or address), where several are connected.`,
});

const secretArgument = {
  type: 'string',
  description: 'Stored secret (sec_…) instead of an account.',
};

const endUserArgument = {
  type: 'string',
  description: 'End user of an embedding platform to act for.',
};

const idempotencyKey = {
  type: 'string',
  description: 'The same key again answers from the first call.',
};

const dryRun = { type: 'boolean', description: 'Only show what would be written or sent.' };

/** What all steps take in common is explained once, in what a client is told of the server. */
const inCommon: Properties = { idempotencyKey, dryRun };

const shared = (name: string, argument: Record<string, unknown>): Record<string, unknown> =>
  Object.hasOwn(inCommon, name) ? { ...argument, description: inCommon[name]?.['description'] } : argument;

/** A step as a tool. Nothing of any account is in it. */
export const describeStep = (step: CatalogueStep): Tool => {
  const { $schema: _, ...input } = z.toJSONSchema(step.input, { io: 'input', unrepresentable: 'any' });
  const { name, auth } = step.integration;
  const secret = auth.some(({ way }) => way === 'typed') ? { secretId: secretArgument } : {};
  const forWhom = { accountId: accountArgument(name), ...secret, endUserId: endUserArgument };
  const own = Object.entries((input.properties ?? {}) as Properties).map(([key, each]) => [key, shared(key, each)]);
  const properties = { ...(Object.fromEntries(own) as Properties), ...forWhom };
  const instead = step.deprecated === undefined ? '' : ` Deprecated: ${step.deprecated}`;
  return {
    name: stepName(step),
    title: `${step.integration.title}: ${step.title}`,
    description: `${step.purpose}${instead}`,
    inputSchema: slim<Schema>({ ...input, type: 'object', properties }),
    annotations: hints([step], step.title),
  };
};

const argumentOf = ({ type, default: fallback, description, integration }: ToolDefinition['inputs'][number]) => {
  const account = `Id of a connected ${integration} account (acc_…).`;
  const text = type === 'account' ? [description, account].filter(Boolean).join(' ') : description;
  return {
    type: type === 'account' ? 'string' : type,
    // Some providers refuse all tools of a request for one list that does not say what it holds.
    ...(type === 'array' ? { items: {} } : {}),
    ...(text === undefined ? {} : { description: text }),
    ...(fallback === undefined ? {} : { default: fallback }),
  };
};

/** An input of that name which a tool has itself is its own business. */
const has = ({ inputs }: Pick<ToolDefinition, 'inputs'>, name: string): boolean =>
  inputs.some((input) => input.name === name);

export const takesKey = (tool: Pick<ToolDefinition, 'inputs'>): boolean => !has(tool, 'idempotencyKey');

export const takesDryRun = (tool: Pick<ToolDefinition, 'inputs'>): boolean => !has(tool, 'dryRun');

/** Whether it can be said for whom a tool runs: where an account is given with the call. */
export const takesEndUser = (
  tool: Pick<ToolDefinition, 'inputs'>,
  fixed: Readonly<Record<string, unknown>> = {},
): boolean =>
  !has(tool, 'endUserId') && tool.inputs.some(({ name, type }) => type === 'account' && !Object.hasOwn(fixed, name));

/** A custom tool as its builder described it. What is fixed for an agent need not be given. */
export const describeTool = (
  catalogue: Catalogue,
  tool: ToolDefinition,
  name: string,
  fixed: Readonly<Record<string, unknown>> = {},
): Tool => {
  const steps = tool.steps.map(({ step }) => catalogue.step(step));
  const annotations = hints(steps, tool.name);
  const properties: Properties = Object.fromEntries(tool.inputs.map((input) => [input.name, argumentOf(input)]));
  if (!annotations.readOnlyHint && takesKey(tool)) properties['idempotencyKey'] = idempotencyKey;
  if (!annotations.readOnlyHint && takesDryRun(tool)) properties['dryRun'] = dryRun;
  if (takesEndUser(tool, fixed)) properties['endUserId'] = endUserArgument;
  const required = tool.inputs
    .filter((input) => input.required && input.default === undefined && !Object.hasOwn(fixed, input.name))
    .map(({ name: input }) => input);
  return {
    name,
    title: tool.name,
    description: tool.description === '' ? tool.name : tool.description,
    inputSchema: { type: 'object', properties, required, additionalProperties: false } as Schema,
    annotations,
  };
};

/** A tool as it is offered to one run, in the version that the run began with. */
export const describeHeld = (catalogue: Catalogue, { name, title, description, schema, stepIds }: RemoteTool): Tool => {
  const annotations = hints(
    stepIds.map((id) => catalogue.step(id)),
    title,
  );
  const inputs = schema['properties'] as Properties;
  const properties = annotations.readOnlyHint ? inputs : { idempotencyKey, ...inputs };
  return { name, title, description, inputSchema: { ...schema, properties } as Schema, annotations };
};

export const getRunTool: Tool = {
  name: getRunName,
  title: 'Look at a run',
  description: 'Tells how an earlier call stands: still waiting for approval, running, or ended, with its output.',
  inputSchema: {
    type: 'object',
    properties: {
      runId: { type: 'string', description: 'The runId that the call answered with.' },
      offset: {
        type: 'integer',
        minimum: 0,
        description: 'Where in a long output to go on, as the answer before says.',
      },
    },
    required: ['runId'],
    additionalProperties: false,
  },
  annotations: {
    title: 'Look at a run',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
};
