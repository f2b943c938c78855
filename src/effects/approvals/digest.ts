import { createHash } from 'node:crypto';
import type { Planned, SendView } from '#kit';

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content);

/** Content stands for itself by its digest: it is neither kept nor hashed as text. */
const briefly = (bytes: Uint8Array) => ({ bytes: bytes.length, sha256: sha256(bytes).digest('hex') });

/** The same value with its fields in one order, and long content by its digest. Nothing else is left out. */
const settled = (value: unknown, name = ''): unknown => {
  if (value instanceof Uint8Array) return briefly(value);
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string' && /^contentBytes$/i.test(name)) return briefly(Buffer.from(value, 'base64'));
  if (Array.isArray(value)) return value.map((each) => settled(each));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, settled(each, key)]),
  );
};

/** A request as it is kept and shown. */
export type ShownRequest = {
  method: string;
  path: string;
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
  body?: unknown;
  /** What is uploaded after it. */
  content?: unknown;
};

export const shownRequest = ({ request, content }: Planned): ShownRequest => {
  const { method, path, query, headers, body } = request;
  return settled({ method, path, query, headers, body, content }) as ShownRequest;
};

/** What a decision is bound to: as whom, every request, and everything that was shown. */
export type Bound = { accountId: string; requests: readonly ShownRequest[]; view: SendView };

export const approvalDigest = ({ accountId, requests, view }: Bound): Buffer =>
  sha256(JSON.stringify(settled({ accountId, requests, view }))).digest();
