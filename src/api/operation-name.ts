/** Where a path ends in one of these, that is what is done; any other word there is made by a POST. */
const acts = new Set([
  ...['approve', 'cancel', 'check', 'connect', 'edit', 'finish', 'preview', 'reject', 'replay', 'resend', 'resume'],
  ...['retry', 'rotate', 'run', 'stop', 'test'],
]);
const verbs: Record<string, string> = { GET: 'get', POST: 'create', PUT: 'replace', PATCH: 'update', DELETE: 'delete' };

const isPlaceholder = (part: string): boolean => part.startsWith('{');
const one = (word: string): string => word.replace(/ies$/, 'y').replace(/s$/, '');
const joined = (words: string[]): string =>
  words
    .join('-')
    .replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
    .replace(/-/g, '');

/** What programs made from our description call an operation: `POST /v1/tools/{id}/run` is `runTool`. */
export const operationName = (door: string, answersList: boolean): string => {
  const [method = '', path = ''] = door.split(' ');
  const parts = path.split('/').slice(2);
  const words = parts.filter((part) => !isPlaceholder(part));
  const last = words.at(-1) ?? '';
  const isWhole = parts.at(-1) === last;
  const around = words.slice(0, -1).map(one);
  if (method === 'POST' && acts.has(last)) return joined([last, ...around]);
  if (method === 'GET' && answersList) return joined(['list', ...around, last]);
  const named = isWhole && method !== 'POST' ? last : one(last);
  return joined([verbs[method] ?? method.toLowerCase(), ...around, named]);
};
