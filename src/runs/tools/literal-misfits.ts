import { type CatalogueStep, placeAt, placeOf } from '#kit';
import type { Problem, Template } from '../templates/index.ts';

type Key = string | number;

/** The template with something in place of what is only known later, and where that is. */
const sketch = (template: Template): { value: unknown; open: Key[][] } => {
  const open: Key[][] = [];
  const draw = (node: Template, at: Key[]): unknown => {
    switch (node.kind) {
      case 'constant':
        return node.value;
      case 'value':
      case 'text':
        open.push(at);
        // Any text: whatever is wrong with it is not counted.
        return '';
      case 'list':
        return node.items.map((item, n) => draw(item, [...at, n]));
      case 'fields':
        return Object.fromEntries(node.fields.map(([key, each]) => [key, draw(each, [...at, key])]));
    }
  };
  return { value: draw(template, []), open };
};

const startsWith = (path: readonly PropertyKey[], prefix: readonly PropertyKey[]): boolean =>
  prefix.every((key, at) => path[at] === key);

/** What of a step's input can already be seen not to fit, whatever the placeholders will bring. */
export const misfitsOf = (step: CatalogueStep, template: Template, place: string): Problem[] => {
  const { value, open } = sketch(template);
  const parsed = step.input.safeParse(value);
  if (parsed.success) return [];
  return parsed.error.issues.flatMap((issue): Problem[] => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        field: placeAt(placeOf(issue.path, place), key),
        message: `is not a field of ${step.id}`,
      }));
    }
    // A rule over several fields cannot be judged while one of them is open.
    const undecided = open.some((at) => startsWith(at, issue.path) || startsWith(issue.path, at));
    return undecided ? [] : [{ field: placeOf(issue.path, place), message: issue.message }];
  });
};
