import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

const signs: Record<string, RegExp> = {
  'a private key': /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  'a key of our own': /\bsb[a-z]_[A-Za-z0-9_-]{40,}/,
  'a token of a code host': /\b(?:gh[pousr]_|github_pat_|glpat-)[A-Za-z0-9_]{20,}/,
  'a key of a cloud': /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{35}\b/,
  'a key of a model provider': /\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{24,}/,
  'a token of a chat': /\bxox[abprs]-[A-Za-z0-9-]{10,}/,
  'a token of a package registry': /\bnpm_[A-Za-z0-9]{36}\b|_authToken\s*=\s*[^\s$]{8}/,
  'a signed token': /\beyJ[A-Za-z0-9_-]{15,}\.eyJ[A-Za-z0-9_-]{15,}\.[A-Za-z0-9_-]{15,}/,
  'a password in an address':
    /\b(?:postgres(?:ql)?|smtps?|https?):\/\/[^\s:/@'"`$<{…]+:(?!password@|pass@|p%2Fw@|…)[^\s:/@'"`$<{]{8,}@(?!127\.0\.0\.1|localhost|db\.internal)/,
};

/** What looks like a secret in a text, line by line; the secret itself is not repeated. */
export const secretSignsIn = (text: string): string[] =>
  text.split('\n').flatMap((line, index) =>
    Object.entries(signs)
      .filter(([, sign]) => sign.test(line))
      .map(([what]) => `${index + 1}: ${what}`),
  );

/** Signs in any of these files; files that are not text are passed over. */
export const findSecretSigns = (files: readonly string[]): string[] =>
  files.flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    return text.includes('\0') ? [] : secretSignsIn(text).map((sign) => `${file}:${sign}`);
  });
