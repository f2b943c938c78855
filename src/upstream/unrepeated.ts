import type { Sink } from '#kit';

const shortest = 16;
const instead = '[secret]';

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const between = new Set([' ', '\t', '"', ',', '=']);

/** What stands behind schemes and names; a secret may itself end in equals signs. */
const lastWord = (text: string): string => {
  const to = text.endsWith('"') ? text.length - 1 : text.length;
  let from = to;
  while (text[from - 1] === '=') from -= 1;
  while (from > 0 && !between.has(text[from - 1] ?? '')) from -= 1;
  return text.slice(from, to);
};

/** The last word of what a request is signed with, in each way it may be written. */
const secretsIn = (authorization = ''): string[] => {
  const secret = lastWord(authorization);
  if (secret.length < shortest) return [];
  return secret.includes('%') ? [secret, decoded(secret)] : [secret];
};

const without = (body: Buffer, secret: string): Buffer => {
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = body.indexOf(secret); at >= 0; at = body.indexOf(secret, from)) {
    parts.push(body.subarray(from, at), Buffer.from(instead));
    from = at + Buffer.byteLength(secret);
  }
  return parts.length === 0 ? body : Buffer.concat([...parts, body.subarray(from)]);
};

/** How much of the end may be the beginning of a secret that goes on in the next piece. */
const begunIn = (piece: Buffer, secret: Buffer): number => {
  for (let length = Math.min(piece.length, secret.length - 1); length > 0; length -= 1) {
    if (piece.subarray(-length).equals(secret.subarray(0, length))) return length;
  }
  return 0;
};

/** Takes the credential that a request was signed with out of its answer: a service that repeats it tells it to nobody. */
export const createUnrepeated = (authorization: string | undefined) => {
  const secrets = secretsIn(authorization);
  const clean = (body: Buffer): Buffer => secrets.reduce(without, body);

  return {
    body: (body: Buffer): Buffer => (body.length < shortest ? body : clean(body)),

    headers: (headers: Record<string, string>): Record<string, string> => {
      const repeats = (value: string) => secrets.some((secret) => value.includes(secret));
      if (!Object.values(headers).some(repeats)) return headers;
      const cleaned = (value: string) => secrets.reduce((text, secret) => text.replaceAll(secret, instead), value);
      return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, cleaned(value)]));
    },

    /** For what is handed on piece by piece; `end` hands on what was kept back. */
    stream: (sink: Sink): { into: Sink; end(): Promise<void> } => {
      if (secrets.length === 0) return { into: sink, end: async () => {} };
      const bytes = secrets.map((secret) => Buffer.from(secret));
      let kept: Buffer = Buffer.alloc(0);
      return {
        into: async (piece) => {
          const all = clean(Buffer.concat([kept, piece]));
          const sure = all.length - Math.max(...bytes.map((secret) => begunIn(all, secret)));
          kept = all.subarray(sure);
          if (sure > 0) await sink(all.subarray(0, sure));
        },
        end: async () => {
          if (kept.length > 0) await sink(kept);
        },
      };
    },
  };
};
