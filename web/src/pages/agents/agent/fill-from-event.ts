import { partsOf } from '../../../forms/problems.ts';
import { isRecord } from '../../../forms/schema.ts';
import { placeholdersIn } from '../../../forms/variables.ts';

const valueAt = (root: unknown, path: string): unknown =>
  partsOf(path).reduce<unknown>((value, part) => {
    if (Array.isArray(value)) return value[Number(part)];
    return isRecord(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }, root);

const asText = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const filled = (template: unknown, root: object): unknown => {
  if (typeof template !== 'string') return undefined;
  const [only, ...others] = placeholdersIn(template);
  if (only === undefined) return undefined;
  if (others.length === 0 && /^\{\{[^{}]*\}\}$/.test(template.trim())) return valueAt(root, only) ?? undefined;
  return template.replaceAll(/\{\{(.*?)\}\}/gs, (_, path: string) => asText(valueAt(root, path.trim())));
};

/** What an event would have brought to each input, for a start by hand. What leads nowhere is left to the person. */
export const fillFromEvent = (mapping: Record<string, unknown>, event: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(mapping)
      .map(([name, template]) => [name, filled(template, { event })] as const)
      .filter(([, value]) => value !== undefined),
  );
