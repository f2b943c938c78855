import type { Context } from 'hono';

/** Form fields, the first of each name. Another kind of body counts as none. */
export const formOf = async (c: Context): Promise<Record<string, string>> => {
  if (!/^application\/x-www-form-urlencoded/i.test(c.req.header('content-type') ?? '')) return {};
  const fields: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(await c.req.text())) fields[name] ??= value;
  return fields;
};

const loopback = /^(127\.0\.0\.1|localhost|\[::1\])$/;

/** Under the real host's name the answer names https addresses, since a client that asks so came through TLS. */
export const originOf = (c: Context): string => {
  const url = new URL(c.req.url);
  return loopback.test(url.hostname) ? url.origin : `https://${url.host}`;
};
