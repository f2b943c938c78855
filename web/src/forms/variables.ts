import { isRecord, type Schema } from './schema.ts';

/** Something known only when it runs, e.g. `inputs.cardId` or `steps.find.output.items[0].id`. */
export type Variable = { path: string; label: string; group: string; hint?: string };

export const toTemplate = (path: string): string => `{{${path}}}`;

/** The placeholders in a text; `\{{` is literal. */
export const placeholdersIn = (text: string): string[] =>
  [...text.matchAll(/(\\*)\{\{(.*?)\}\}/gs)].flatMap(([, slashes = '', path = '']) =>
    slashes.length % 2 === 1 ? [] : [path.trim()],
  );

export const isTemplate = (value: unknown): value is string =>
  typeof value === 'string' && placeholdersIn(value).length > 0;

/** Whether a path begins at something that is there. What a service answers may hold more than its schema says. */
export const isKnown = (path: string, variables: readonly Variable[]): boolean => {
  const [root = '', name = ''] = path.split(/[.[]/);
  return variables.some((each) => {
    const [knownRoot = '', knownName = ''] = each.path.split(/[.[]/);
    return knownRoot === root && (root === 'event' || knownName === name);
  });
};

/** Whether a field of a step's answer is one that the step is known to have. Others may come all the same, so it is only a doubt. */
export const isListed = (path: string, variables: readonly Variable[]): boolean => {
  const [root, name, part, field] = path.split(/[.[]/);
  if (root !== 'steps' || part !== 'output' || field === undefined || /^\d+\]$/.test(field)) return true;
  const listed = variables.flatMap((each) => {
    const [knownRoot, knownName, knownPart, known] = each.path.split(/[.[]/);
    return knownRoot === root && knownName === name && knownPart === part && known !== undefined ? [known] : [];
  });
  return listed.length === 0 || listed.includes(field);
};

const plainName = /^[A-Za-z_$][\w$-]*$/;
const deepest = 4;

/** The fields of an answer, as paths: what comes in a list is shown by its first. */
export const pathsOf = (schema: Schema, start: string, group: string, depth = 0): Variable[] => {
  const here = depth === 0 ? [] : [{ path: start, label: start, group, ...hintOf(schema) }];
  if (depth >= deepest) return here;
  const one = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema.oneOf?.[0] ?? schema;
  if (one.items !== undefined) return [...here, ...pathsOf(one.items, `${start}[0]`, group, depth + 1)];
  return [
    ...here,
    ...Object.entries(one.properties ?? {}).flatMap(([name, each]) => {
      if (!isRecord(each)) return [];
      const path = plainName.test(name) ? `${start}.${name}` : `${start}[${JSON.stringify(name)}]`;
      return pathsOf(each, path, group, depth + 1);
    }),
  ];
};

const hintOf = ({ description }: Schema): { hint?: string } => (description === undefined ? {} : { hint: description });
