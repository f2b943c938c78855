/**
 * What a caller may set: a header outside this list could carry another credential, another host or another meaning of the
 * request.
 */
export const requestHeaders: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'client-request-id',
  'consistencylevel',
  'content-type',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'prefer',
  'return-client-request-id',
]);
