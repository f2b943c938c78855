import type { Asked } from '../common/asked.ts';
import { isId } from './ids.ts';
import type { Place } from './positions.ts';
import { parsePos } from './positions.ts';
import { invalidObjectId, invalidValue, plain, type Refusal } from './refusal.ts';

export type Upload = { name: string; type: string; bytes: Uint8Array };

/** Parameters of one request, whether they came in the query, a form or a JSON body. */
export class Input {
  readonly #values: Map<string, unknown>;
  readonly files: Map<string, Upload>;

  constructor(values: Map<string, unknown>, files: Map<string, Upload> = new Map()) {
    this.#values = values;
    this.files = files;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  raw(name: string): unknown {
    return this.#values.get(name);
  }

  /** Just these parameters, for a nested resource. */
  only(values: Record<string, unknown>): Input {
    return new Input(new Map(Object.entries(values)));
  }

  /** Text, or nothing. A JSON body is type-checked: a number is no name. */
  text(name: string, refuse: () => Refusal = () => invalidValue(name)): string | undefined {
    const value = this.#values.get(name);
    if (value === undefined || typeof value === 'string') return value;
    throw refuse();
  }

  /** Text, or null for JSON null and for the words that clear a field. */
  clearable(name: string): string | null | undefined {
    const value = this.#values.get(name);
    if (value === null || value === '' || value === 'null') return null;
    return this.text(name);
  }

  limited(name: string, most = 16384): string | undefined {
    const text = this.text(name);
    if (text !== undefined && text.length > most) throw invalidValue(name);
    return text;
  }

  flag(name: string): boolean | undefined {
    const value = this.#values.get(name);
    if (value === undefined) return undefined;
    if (value === true || value === 'true') return true;
    if (value === false || value === 'false') return false;
    throw invalidValue(name);
  }

  number(name: string): number | null | undefined {
    const value = this.#values.get(name);
    if (value === undefined) return undefined;
    if (value === null || value === '' || value === 'null') return null;
    const number = typeof value === 'number' ? value : typeof value === 'string' ? Number(value) : Number.NaN;
    if (!Number.isFinite(number)) throw invalidValue(name);
    return number;
  }

  pos(name = 'pos', refuse?: () => Refusal): Place | undefined {
    return parsePos(this.#values.get(name), refuse);
  }

  id(name: string, refuse: () => Refusal = invalidObjectId): string | undefined {
    const value = this.#values.get(name);
    if (value === undefined) return undefined;
    if (typeof value === 'string' && isId(value)) return value.toLowerCase();
    throw refuse();
  }

  /** Ids, comma-separated or as an array; null and the empty text mean none. */
  ids(name: string): string[] | undefined {
    const value = this.#values.get(name);
    if (value === undefined) return undefined;
    if (value === null || value === '' || value === 'null') return [];
    const parts: unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [value];
    return parts.map((part) => {
      if (typeof part === 'string' && isId(part)) return part.toLowerCase();
      throw invalidObjectId();
    });
  }

  /** A date in any of the usual spellings, as ISO 8601 in UTC. */
  date(name: string): string | null | undefined {
    const value = this.#values.get(name);
    if (value === undefined) return undefined;
    if (value === null || value === '' || value === 'null') return null;
    const time = typeof value === 'number' || typeof value === 'string' ? parseDate(value) : Number.NaN;
    if (!Number.isFinite(time)) throw plain(400, `invalid value for ${name}`);
    return new Date(time).toISOString();
  }
}

/** Lenient as the service: date only, an offset, a space instead of the T, milliseconds. Without a zone it is UTC. */
const parseDate = (value: string | number): number => {
  if (typeof value === 'number') return Math.abs(value) <= 8.64e15 ? value : Number.NaN;
  const text = value.trim();
  if (/^\d{12,14}$/.test(text)) return Number(text);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return Date.parse(text);
  const spaced = text.replace(/^(\d{4}-\d{2}-\d{2}) +/, '$1T').replace(/ +/g, '');
  const zoned = /T/.test(spaced) && !/(Z|[+-]\d{2}:?\d{2})$/i.test(spaced) ? `${spaced}Z` : spaced;
  return Date.parse(zoned);
};

const decoder = new TextDecoder();

const fromPairs = (values: Map<string, unknown>, text: string): void => {
  for (const [name, value] of new URLSearchParams(text)) values.set(name, value);
};

/** Reads query and body together; the body wins. Without a body, which is the rule, there is nothing to wait for. */
export const readInput = (asked: Asked): Input | Promise<Input> => {
  const { url, method } = asked;
  const values = new Map<string, unknown>();
  const at = url.indexOf('?');
  if (at >= 0) fromPairs(values, url.slice(at + 1));
  if (method === 'GET' || method === 'HEAD' || !asked.bringsBody) return new Input(values);
  return readBody(asked, asked.header('content-type') ?? '', values);
};

const readBody = async (asked: Asked, type: string, values: Map<string, unknown>): Promise<Input> => {
  const bytes = await asked.body();
  if (type.startsWith('multipart/form-data')) return readForm(bytes, type, values);
  const body = decoder.decode(bytes);
  if (body === '') return new Input(values);
  if (type.includes('json')) {
    const parsed = parseJson(body);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
      for (const [name, value] of Object.entries(parsed)) values.set(name, value);
    }
  } else if (type.includes('urlencoded')) {
    fromPairs(values, body);
  }
  return new Input(values);
};

const parseJson = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    throw plain(400, 'invalid json');
  }
};

const readForm = async (bytes: Buffer, type: string, values: Map<string, unknown>): Promise<Input> => {
  const files = new Map<string, Upload>();
  const whole = new Response(new Uint8Array(bytes), { headers: { 'content-type': type } });
  const form = await whole.formData().catch(() => {
    throw plain(400, 'invalid multipart body');
  });
  for (const [name, value] of form) {
    if (typeof value === 'string') values.set(name, value);
    else files.set(name, { name: value.name, type: value.type, bytes: new Uint8Array(await value.arrayBuffer()) });
  }
  return new Input(values, files);
};
