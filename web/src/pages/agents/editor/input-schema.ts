import type { ToolInput } from '../../../../../client/src/index.ts';

const longText = 10_000;

/** The inputs of tools as a form; accounts are asked for apart. */
export const inputSchema = (
  inputs: readonly ToolInput[],
  isRequired: (input: ToolInput) => boolean,
  /** What becomes of a field that is left empty. */
  unless?: string,
): Record<string, unknown> => ({
  type: 'object',
  properties: Object.fromEntries(
    inputs
      .filter(({ type }) => type !== 'account')
      .map(({ name, type, description, default: usual }) => [
        name,
        {
          type,
          ...(type === 'string' ? { maxLength: longText } : {}),
          ...(description === undefined ? {} : { description }),
          ...(usual === undefined ? {} : { default: usual }),
          ...(usual !== undefined || unless === undefined ? {} : { examples: [unless] }),
        },
      ]),
  ),
  required: inputs.filter((input) => input.type !== 'account' && isRequired(input)).map(({ name }) => name),
});
