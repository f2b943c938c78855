/** What can be read out of the text a model is given: the mail behind it, and any value by its name. */
export type Facts = {
  sender: string;
  senderName: string;
  subject: string;
  messageId: string;
  /** Values by lower-case name without separators, the first of each name. */
  values: Map<string, unknown>;
};

const plainName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
const address = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/;

/** The JSON values inside a text, outermost ones only. A text of nothing but braces is not searched to its end. */
const jsonIn = (text: string): unknown[] => {
  const found: unknown[] = [];
  for (let at = text.indexOf('{'), tries = 0; at !== -1 && tries < 200; at = text.indexOf('{', at), tries++) {
    const end = endOfObject(text, at);
    const value = end === undefined ? undefined : parsed(text.slice(at, end));
    if (value !== undefined) found.push(value);
    at = value === undefined || end === undefined ? at + 1 : end;
  }
  return found;
};

const endOfObject = (text: string, start: number): number | undefined => {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at++) {
    const letter = text[at];
    if (quoted) {
      if (letter === '\\') at++;
      else if (letter === '"') quoted = false;
    } else if (letter === '"') quoted = true;
    else if (letter === '{') depth++;
    else if (letter === '}' && --depth === 0) return at + 1;
  }
  return undefined;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const collect = (value: unknown, into: Map<string, unknown>): void => {
  if (Array.isArray(value)) for (const item of value) collect(item, into);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    const key = plainName(name);
    if (!into.has(key) && inner !== null) into.set(key, inner);
    collect(inner, into);
  }
};

const line = (text: string, name: string): string =>
  new RegExp(`^[\\s>*"]*${name}"?\\s*[:=]\\s*"?([^"\\n]+)`, 'im').exec(text)?.[1]?.trim() ?? '';

const textValue = (values: Map<string, unknown>, ...names: string[]): string => {
  for (const name of names) {
    const value = values.get(name);
    if (typeof value === 'string') return value;
    if (value !== undefined) return JSON.stringify(value);
  }
  return '';
};

export const factsOf = (text: string): Facts => {
  const values = new Map<string, unknown>();
  for (const value of jsonIn(text)) collect(value, values);
  const from = textValue(values, 'from', 'sender', 'fromaddress') || line(text, 'from') || line(text, 'sender');
  const sender = address.exec(from)?.[0] ?? '';
  const name = /"name":"([^"]+)"/.exec(from)?.[1] ?? /^([^<"{@]+)</.exec(from)?.[1] ?? '';
  return {
    sender,
    senderName: name.trim() || (sender.split('@', 1)[0] ?? ''),
    subject: textValue(values, 'subject') || line(text, 'subject'),
    messageId: textValue(values, 'messageid', 'emailid', 'id') || line(text, 'message ?id') || line(text, 'id'),
    values,
  };
};

export const addressesIn = (text: string): string[] => [...new Set(text.match(new RegExp(address, 'g')) ?? [])];
export { plainName };
