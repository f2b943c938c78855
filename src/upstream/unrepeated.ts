const shortest = 16;
const instead = Buffer.from('[secret]');

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The last word of what a request is signed with; before it stand schemes and names. */
const secretIn = (authorization: string): string => /([^\s",=]+=*)"?$/.exec(authorization)?.[1] ?? '';

const without = (body: Buffer, secret: string): Buffer => {
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = body.indexOf(secret); at >= 0; at = body.indexOf(secret, from)) {
    parts.push(body.subarray(from, at), instead);
    from = at + Buffer.byteLength(secret);
  }
  return parts.length === 0 ? body : Buffer.concat([...parts, body.subarray(from)]);
};

/** An answer without the credential that it was asked with: a service that repeats it tells it to nobody. */
export const unrepeated = (body: Buffer, authorization: string | undefined): Buffer => {
  if (authorization === undefined || body.length < shortest) return body;
  const secret = secretIn(authorization);
  if (secret.length < shortest) return body;
  const once = without(body, secret);
  return secret.includes('%') ? without(once, decoded(secret)) : once;
};
