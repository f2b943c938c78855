import { type CatalogueStep, Fault, nothingGiven, placeAt, placeOf } from '#kit';
import type { Problem, Template } from '../templates/index.ts';
import type { ToolInput } from './definition.ts';

type Key = string | number;

/** A place that is filled in later; `sure` where at least the type of that is known, with what it stands for until then. */
type Open = { at: Key[]; sure: boolean; canBe(value: unknown): boolean };

const anyOfType: Record<ToolInput['type'], unknown> = {
  string: '',
  account: '',
  number: 0,
  boolean: false,
  object: {},
  array: [],
};

/** Whether text with placeholders could come to this: it begins and ends as what is written around them. */
const couldBe = (parts: Extract<Template, { kind: 'text' }>['parts'], value: unknown): boolean => {
  const [first, last] = [parts[0], parts.at(-1)];
  return (
    typeof value === 'string' &&
    (typeof first !== 'string' || value.startsWith(first)) &&
    (typeof last !== 'string' || value.endsWith(last))
  );
};

/** The template with something in place of what is only known later, and where that is. */
const sketch = (template: Template, inputs: readonly ToolInput[]): { value: unknown; open: Open[] } => {
  const open: Open[] = [];
  const draw = (node: Template, at: Key[]): unknown => {
    switch (node.kind) {
      case 'constant':
        return node.value;
      case 'value': {
        const [root, name, ...deeper] = node.path;
        const input = root === 'inputs' && deeper.length === 0 ? inputs.find((each) => each.name === name) : undefined;
        // Any text: whatever is wrong with it is not counted.
        const value = input === undefined ? '' : anyOfType[input.type];
        open.push({ at, sure: input !== undefined, canBe: (other) => typeof other === typeof value });
        return value;
      }
      case 'text':
        open.push({ at, sure: true, canBe: (value) => couldBe(node.parts, value) });
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

type Issue = NonNullable<ReturnType<CatalogueStep['input']['safeParse']>['error']>['issues'][number];

/** Whether nothing of the type that will be filled in there fits. */
const neverFits = (issue: Issue, { at, sure, canBe }: Open): boolean => {
  if (!sure || at.length !== issue.path.length || !startsWith(at, issue.path)) return false;
  return issue.code === 'invalid_type' || (issue.code === 'invalid_value' && !issue.values.some(canBe));
};

/** A rule of the step over several fields that is broken already: each of them is written down, or left out. */
const brokenRule = (step: CatalogueStep, sketched: unknown, open: readonly Open[], place: string): Problem[] => {
  const given = new Map(Object.entries(sketched ?? {}));
  const known = Object.fromEntries(
    Object.entries(step.input.shape).map(([name, shape]) => {
      const { data = given.get(name) } = shape.safeParse(given.get(name));
      return [name, data];
    }),
  );
  const nothing = nothingGiven(step, known);
  const isFilledIn = (name: string) => open.some(({ at }) => at.length === 0 || at[0] === name);
  if (nothing !== undefined && !step.needsOneOf?.fields.some(isFilledIn)) return [{ field: place, message: nothing }];
  try {
    step.check?.(known);
    return [];
  } catch (error) {
    // What is open may be of another type than the rule knows.
    if (!(error instanceof Fault)) return [];
    const fields = error.details?.fields ?? [];
    return fields.some(({ field }) => isFilledIn(field))
      ? []
      : fields.map(({ field, message }) => ({ field: placeAt(place, field), message }));
  }
};

/** What of a step's input can already be seen not to fit, whatever the placeholders will bring. */
export const misfitsOf = (
  step: CatalogueStep,
  template: Template,
  inputs: readonly ToolInput[],
  place: string,
): Problem[] => {
  const { value, open } = sketch(template, inputs);
  const parsed = step.input.safeParse(value);
  const broken = brokenRule(step, value, open, place);
  if (parsed.success) return broken;
  const misfits = parsed.error.issues.flatMap((issue): Problem[] => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        field: placeAt(placeOf(issue.path, place), key),
        message: `is not a field of ${step.id}`,
      }));
    }
    // A rule over several fields cannot be judged while one of them is open.
    const undecided = open.some(
      (each) => !neverFits(issue, each) && (startsWith(each.at, issue.path) || startsWith(issue.path, each.at)),
    );
    return undecided ? [] : [{ field: placeOf(issue.path, place), message: issue.message }];
  });
  return [...misfits, ...broken];
};
