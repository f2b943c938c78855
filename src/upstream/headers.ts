import { Fault, requestHeaders, wrong } from '#kit';

const answerHeaders = new Set([
  'allow',
  'cache-control',
  'client-request-id',
  'content-disposition',
  'content-language',
  'content-length',
  'content-type',
  'date',
  'etag',
  'last-modified',
  'link',
  'location',
  'odata-version',
  'preference-applied',
  'request-id',
  'retry-after',
]);

const answerFamilies = /^(x-)?rate-?limit-/;

// Tab, printable ASCII and the upper half of Latin-1: what a header can carry.
const carried = /^[\t\u0020-\u007e\u00a0-\u00ff]*$/;
const longest = 8_192;

/** Header names lower-cased; the request's own come first, so those that sign it cannot be replaced. */
export const headersFor = (
  own: Readonly<Record<string, string>> | undefined,
  signing: Readonly<Record<string, string>>,
): Record<string, string> => {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(own ?? {})) {
    const key = name.toLowerCase();
    if (!requestHeaders.has(key)) {
      throw wrong('headers', `The header "${shown(name)}" cannot be set.`, { allowed: [...requestHeaders] });
    }
    if (typeof value !== 'string' || value.length > longest || !carried.test(value)) {
      throw wrong('headers', `The header "${key}" holds characters that a header cannot carry.`);
    }
    headers[key] = value.trim();
  }
  for (const [name, value] of Object.entries(signing)) {
    // Says no more than that: the value is a secret.
    if (!carried.test(value))
      throw new Fault('reconnect_needed', 'The stored credential cannot be sent. Connect again.');
    headers[name.toLowerCase()] = value;
  }
  return headers;
};

const shown = (name: string): string => name.slice(0, 60).replace(/[^\x20-\x7e]/g, '?');

/** What the rest of the house may see of an answer's headers: lower-cased, on the list, cookies never. */
export const headersFrom = (
  received: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> => {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(received)) {
    const key = name.toLowerCase();
    if (value === undefined || !(answerHeaders.has(key) || answerFamilies.test(key))) continue;
    headers[key] = typeof value === 'string' ? value : value.join(', ');
  }
  return headers;
};
