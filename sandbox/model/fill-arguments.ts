import { type Facts, plainName } from './facts.ts';

type Schema = Record<string, unknown>;

/** What the script wants to say with a call; the schema of the tool decides under which names it is said. */
export type Intent = { to: string[]; subject: string; body: string; facts: Facts };

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const addressNames = /^(to|torecipients?|toaddress(es)?|recipients?|email|emails|emailaddress|address)$/;
const subjectNames = /^(subject|title)$/;
const bodyNames = /(body|text|comment|content|message|html|reply|note|answer)$/;
const idNames = /^(id|messageid|emailid|mailid|itemid|inreplyto|replytoid|replytomessageid)$/;

/** Arguments for a tool: everything it requires, and of the rest what the intent has a value for. */
export const fillArguments = (parameters: Schema | undefined, intent: Intent): Schema => {
  const root = parameters ?? {};
  const filled = fill(root, 'arguments', intent, root, 0);
  return isObject(filled) ? filled : {};
};

const resolve = (schema: Schema, root: Schema): Schema => {
  const { $ref: reference } = schema;
  if (typeof reference === 'string') {
    let found: unknown = root;
    for (const part of reference.replace(/^#\/?/, '').split('/')) found = isObject(found) ? found[part] : undefined;
    return isObject(found) ? found : {};
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(choices)) return schema;
  const choice = choices.filter(isObject).find(({ type }) => type !== 'null');
  return choice === undefined ? schema : resolve(choice, root);
};

const fill = (given: Schema, name: string, intent: Intent, root: Schema, depth: number): unknown => {
  const schema = resolve(given, root);
  if ('const' in schema) return schema.const;
  const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== 'null') : schema.type;
  if (depth > 8) return null;
  if (type === 'object' || isObject(schema.properties)) return fillObject(schema, name, intent, root, depth);
  if (type === 'array') return fillArray(schema, name, intent, root, depth);
  if (Array.isArray(schema.enum)) return schema.enum.find((each) => each === 'text') ?? schema.enum[0];
  if (type === 'boolean') return schema.default ?? false;
  if (type === 'integer' || type === 'number') return schema.default ?? schema.minimum ?? 1;
  return text(plainName(name), intent) ?? schema.default ?? 'unknown';
};

const fillObject = (schema: Schema, name: string, intent: Intent, root: Schema, depth: number): Schema => {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const inside = depth > 0 && addressNames.test(plainName(name));
  const entries = Object.entries(properties).flatMap(([property, value]) => {
    if (!isObject(value)) return [];
    // Within a recipient every name is about the address: {emailAddress: {address}}.
    const meaning = inside && plainName(property) !== 'name' ? 'to' : property;
    if (!required.has(property) && !matters(plainName(meaning))) return [];
    return [[property, fill(value, meaning, intent, root, depth + 1)]];
  });
  return Object.fromEntries(entries);
};

const fillArray = (schema: Schema, name: string, intent: Intent, root: Schema, depth: number): unknown[] => {
  const items = isObject(schema.items) ? schema.items : {};
  if (addressNames.test(plainName(name)))
    return intent.to.map((to) => fill(items, 'to', { ...intent, to: [to] }, root, depth + 1));
  return typeof schema.minItems === 'number' && schema.minItems > 0 ? [fill(items, name, intent, root, depth + 1)] : [];
};

const matters = (name: string): boolean =>
  addressNames.test(name) || subjectNames.test(name) || bodyNames.test(name) || idNames.test(name);

const text = (name: string, { to, subject, body, facts }: Intent): unknown => {
  if (addressNames.test(name)) return to.join(', ');
  if (subjectNames.test(name)) return subject;
  if (bodyNames.test(name)) return body;
  if (idNames.test(name)) return facts.messageId;
  return facts.values.get(name);
};
