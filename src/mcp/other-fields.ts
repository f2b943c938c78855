import type { Tool } from '#runs';
import { describeStep, getRunTool, takesDryRun, takesEndUser, takesKey } from './describe.ts';
import type { Offered } from './offer.ts';

type Values = Readonly<Record<string, unknown>>;

const namesIn = (schema: { properties?: unknown }): string[] => Object.keys(schema.properties ?? {});

const ofTool = (tool: Tool, fixed: Values): string[] => [
  ...tool.inputs.map(({ name }) => name),
  ...(takesKey(tool) ? ['idempotencyKey'] : []),
  ...(takesDryRun(tool) ? ['dryRun'] : []),
  ...(takesEndUser(tool, fixed) ? ['endUserId'] : []),
];

const fieldsOf = (offered: Offered, tool: Tool | undefined, fixed: Values): string[] => {
  switch (offered.kind) {
    case 'get_run':
      return namesIn(getRunTool.inputSchema);
    case 'step':
      return namesIn(describeStep(offered.step).inputSchema);
    case 'held':
      return [...new Set([...namesIn(offered.tool.schema), 'idempotencyKey'])];
    case 'tool':
      return tool === undefined ? [] : ofTool(tool, fixed);
  }
};

const most = 20;

/** Whoever gave an argument another name finds the right one among those that were not given. */
export const otherFields = (
  offered: Offered,
  tool: Tool | undefined,
  fixed: Values,
  given: Values,
): string | undefined => {
  const known = fieldsOf(offered, tool, fixed);
  if (Object.keys(given).every((name) => known.includes(name))) return undefined;
  const others = known.filter((name) => !Object.hasOwn(given, name) && !Object.hasOwn(fixed, name));
  if (others.length === 0) return 'There are no other fields.';
  const more = others.length > most ? ` and ${others.length - most} more` : '';
  return `Other fields are ${others.slice(0, most).join(', ')}${more}.`;
};
