import { createApp, type Rooms } from '#api';

export type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  prefixItems?: Schema[];
  description?: string;
};

type Content = Record<string, { schema?: Schema }>;
export type Operation = {
  summary?: string;
  description?: string;
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema; description?: string }[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
};
export type ApiDocument = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

// The description is made of the routes alone: nothing behind them is asked.
const nobody: unknown = new Proxy(() => nobody, { get: (_target, key) => (key === 'guards' ? [] : nobody) });
const given = { publicUrl: new URL('http://127.0.0.1'), version: '0', webRoot: '', probes: [] };
const rooms = new Proxy(given, { get: (target, key) => Reflect.get(target, key) ?? nobody }) as unknown as Rooms;

/** The OpenAPI document that a running Switchboard answers, but for its title. */
export const readDocument = (): ApiDocument =>
  createApp(rooms).getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: '', version: '0' },
  }) as unknown as ApiDocument;
