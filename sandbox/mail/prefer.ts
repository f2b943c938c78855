/** What `Prefer` asks for in one request. Values are comma-joined; unknown ones are ignored. */
export type Prefer = {
  timeZone: string | undefined;
  bodyType: 'html' | 'text' | undefined;
  immutableIds: boolean;
  maxPageSize: number | undefined;
  /** For `Preference-Applied`, in the order honoured. */
  applied: string[];
};

const part = /([a-z0-9.-]+)\s*(?:=\s*(?:"([^"]*)"|([^,;\s]*)))?/gi;
export const noPreference: Prefer = Object.freeze({
  timeZone: undefined,
  bodyType: undefined,
  immutableIds: false,
  maxPageSize: undefined,
  applied: [],
});

export const parsePrefer = (header: string | undefined): Prefer => {
  if (header === undefined || header === '') return noPreference;
  const prefer: Prefer = { ...noPreference, applied: [] };
  for (const [, name = '', quoted, bare] of header.matchAll(part)) {
    const value = quoted ?? bare ?? '';
    const lower = value.toLowerCase();
    switch (name.toLowerCase()) {
      case 'outlook.timezone':
        prefer.timeZone = value;
        prefer.applied.push(`outlook.timezone="${value}"`);
        break;
      case 'outlook.body-content-type':
        if (lower !== 'text' && lower !== 'html') break;
        prefer.bodyType = lower;
        prefer.applied.push(`outlook.body-content-type="${lower}"`);
        break;
      case 'outlook.allow-unsafe-html':
        prefer.applied.push('outlook.allow-unsafe-html');
        break;
      case 'idtype':
        if (lower !== 'immutableid') break;
        prefer.immutableIds = true;
        prefer.applied.push('IdType="ImmutableId"');
        break;
      case 'odata.maxpagesize': {
        const size = Number(value);
        if (!Number.isInteger(size) || size < 1) break;
        prefer.maxPageSize = size;
        prefer.applied.push(`odata.maxpagesize=${size}`);
        break;
      }
    }
  }
  return prefer;
};
