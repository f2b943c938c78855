const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

const decodeEntities = (text: string): string =>
  text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return entities[name.toLowerCase()] ?? whole;
    const code = name[1] === 'x' || name[1] === 'X' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) =>
    sign === '&' ? '&amp;' : sign === '<' ? '&lt;' : sign === '>' ? '&gt;' : '&quot;',
  );

export const htmlToText = (html: string): string =>
  decodeEntities(
    html
      .replace(/<(head|style|script|title)\b[^>]*>[\s\S]*?<\/\1\s*>/gi, '')
      .replace(/\r?\n/g, ' ')
      .replace(/<br\s*\/?>/gi, '\n')
      .replace(/<\/(p|div|tr|li|h[1-6]|blockquote)\s*>/gi, '\n')
      .replace(/<hr\b[^>]*>/gi, '\n________________________________\n')
      .replace(/<[^>]*>/g, ''),
  )
    .replace(/[ \t]+/g, ' ')
    .replace(/ *\n */g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

const page = (body: string): string =>
  `<html><head>\r\n<meta http-equiv="Content-Type" content="text/html; charset=utf-8"></head><body>${body}</body></html>`;

export const textToHtml = (text: string): string =>
  page(`<div class="PlainText">${escapeHtml(text).replace(/\r?\n/g, '<br>\r\n')}</div>`);

/** Mail bodies are kept as whole documents, as the real service returns them. */
export const wholeHtml = (html: string): string => (/<html[\s>]/i.test(html) ? html : page(html));

export const previewOf = (body: { contentType: 'html' | 'text'; content: string }): string =>
  (body.contentType === 'html' ? htmlToText(body.content.slice(0, 20_000)) : body.content.slice(0, 4000))
    .replace(/\s*\n\s*/g, '\r\n')
    .slice(0, 255);

/** Whole seconds and a Z, as on every item. */
export const wireTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
