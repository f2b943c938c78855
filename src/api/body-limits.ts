import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { Fault, placeAt, storableJson } from '#kit';
import type { Env } from './env.ts';

export const maxBytes = 1_000_000;
export const maxDepth = 64;

const tooLarge = (limit: number) => new Fault('too_large', `The body is larger than ${limit} bytes; send less.`);
export const notJson = () => new Fault('invalid_input', 'Send the body as JSON, with content-type: application/json.');
/** Empty bodies are told apart: whoever forgot the body does not look for a comma. */
export const refuseText = (text: string): Fault =>
  new Fault('invalid_input', text.trim() === '' ? 'The body is empty; send a JSON object.' : 'The body is not JSON.');
export const notWhole = () => new Fault('invalid_input', 'The body did not arrive whole.');
// Files are not JSON; their route reads them itself, within a limit of its own.
const readsItself = '/v1/files';

/** Refuses what says of itself that it is too large, before any of it is read. */
export const refuseLarge = (c: Context<Env>, limit: number): void => {
  if (Number(c.req.header('content-length') ?? 0) > limit) throw tooLarge(limit);
};

/** Reads a stream to its end, or stops where the limit is passed. */
export const readBytes = async (stream: AsyncIterable<Uint8Array>, limit: number): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** Node's own stream: a web stream around it would cost more than everything else here. */
export const bodyOf = async function* ({ env: { incoming } }: Context<Env>): AsyncIterable<Uint8Array> {
  try {
    // Left open when reading stops early, so that the refusal can still be sent.
    yield* incoming.iterator({ destroyOnReturn: false });
  } catch (error) {
    // Whoever hangs up in the middle is no failure of ours.
    throw incoming.destroyed ? notWhole() : error;
  }
};

const utf8 = new TextDecoder('utf-8', { fatal: true });

const decode = (bytes: Buffer): string => {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Fault('invalid_input', 'The body is not UTF-8 text.');
  }
};

const prototypeKey = '__proto__';
// The underscore can be written as an escape, too.
const mayHoldPrototypeKey = /__proto__|\\u005f/i;

const prototypePlace = (value: unknown, place: string): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.hasOwn(value, prototypeKey)) return placeAt(place, prototypeKey);
  const within = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  for (const [key, each] of within) {
    const found = prototypePlace(each, placeAt(place, key));
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Schemas drop this key: what is given under it would be lost in silence. */
export const refusePrototypeKey = (text: string): void => {
  if (!mayHoldPrototypeKey.test(text)) return;
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    // What is no JSON is refused by whoever reads it.
    return;
  }
  const field = prototypePlace(given, '');
  if (field === undefined) return;
  const message = 'is not a field here';
  throw new Fault('invalid_input', `The request is malformed. ${field}: ${message}`, {
    details: { fields: [{ field, message }] },
  });
};

export const toText = (bytes: Buffer): string => {
  const text = decode(bytes);
  if (storableJson(text) === text) return text;
  throw new Fault(
    'invalid_input',
    'A text in the body holds a zero character (\\u0000) or half of a character (\\ud800 to \\udfff by itself); leave it out.',
  );
};

export const tooDeep = () => new Fault('invalid_input', `The body is nested deeper than ${maxDepth} levels.`);

const quote = 0x22;
const backslash = 0x5c;

/** How deeply objects and arrays are nested, found in one pass before anything is parsed. */
const depthOf = (text: string): number => {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (quoted) {
      if (code === backslash) at++;
      else if (code === quote) quoted = false;
    } else if (code === quote) quoted = true;
    else if (code === 0x7b || code === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x7d || code === 0x5d) depth--;
  }
  return deepest;
};

/** Reads the body once, within its limits, before anything parses it. */
export const bodyLimits = createMiddleware<Env>(async (c, next) => {
  c.set('body', '');
  if (c.req.method === 'GET' || c.req.method === 'HEAD' || c.req.path === readsItself) return next();
  refuseLarge(c, maxBytes);
  const text = toText(await readBytes(bodyOf(c), maxBytes));
  if (depthOf(text) > maxDepth) throw tooDeep();
  refusePrototypeKey(text);
  c.set('body', text);
  c.req.bodyCache.text = Promise.resolve(text) as never;
  return next();
});

/** For the small forms of pages and programs. The framework's own limit fails over a body whose length is not told. */
export const bodyWithin = (limit: number) =>
  createMiddleware<Env>(async (c, next) => {
    if (c.req.method === 'GET' || c.req.method === 'HEAD') return next();
    refuseLarge(c, limit);
    c.req.bodyCache.arrayBuffer = Promise.resolve(await readBytes(bodyOf(c), limit)) as never;
    return next();
  });
