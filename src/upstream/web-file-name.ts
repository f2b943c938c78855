const longest = 255;
const longestExtension = 20;

/** A header's bytes are read as Latin-1, while many servers write UTF-8 there. */
const asWritten = (text: string): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'latin1'));
  } catch {
    return text;
  }
};

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** What a server calls it: https://www.rfc-editor.org/rfc/rfc6266#section-4.3 */
const fromDisposition = (header: string): string | undefined => {
  const [, extended] = /(?:^|[;\s])filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(header) ?? [];
  const whole = extended === undefined ? undefined : decoded(extended);
  if (whole !== undefined) return whole;
  const [, quoted, bare] = /(?:^|[;\s])filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s"]+))/i.exec(header) ?? [];
  const name = quoted?.replace(/\\(.)/g, '$1') ?? bare;
  return name === undefined ? undefined : asWritten(name);
};

/** No folder, nothing that cannot be seen, nothing that a system would not take in a name; a long one keeps its ending. */
const plain = (name: string): string => {
  const last = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const seen = last
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]/gu, '')
    .replace(/[:*?"<>|]/g, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '');
  if (seen.length <= longest) return seen;
  const dot = seen.lastIndexOf('.');
  const ending = dot > 0 && seen.length - dot <= longestExtension ? seen.slice(dot) : '';
  return `${seen.slice(0, longest - ending.length).replace(/[\ud800-\udbff]$/, '')}${ending}`;
};

/** What a file from the web is called: as its server says, else as its address ends. */
export const webFileName = (url: URL, disposition: string | undefined): string => {
  const said = disposition === undefined ? '' : plain(fromDisposition(disposition) ?? '');
  if (said !== '') return said;
  const end = plain(decoded(url.pathname.split('/').at(-1) ?? '') ?? '');
  return end === '' ? 'file' : end;
};
