import type { Message } from '../mailbox.ts';
import { contentOf } from '../messages/attachment-view.ts';
import { escapeHtml } from '../text.ts';

/** What the frame may do: show itself and pictures that came inside the mail. Nothing runs, nothing loads. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; sandbox";

const largestPicture = 2 * 1024 * 1024;
const frame = (body: string): string =>
  `<!doctype html><meta charset="utf-8"><style>body{font:15px/1.5 system-ui,sans-serif;margin:14px;color:#1c1917;background:#fff;overflow-wrap:anywhere}pre{white-space:pre-wrap;font:inherit;margin:0}img{max-width:100%;height:auto}</style>${body}`;

/** `cid:` names a picture that is attached; it is put in its place. */
const withPictures = (content: string, { attachments }: Message): string =>
  content.replaceAll(/\bcid:([^"'\s>)]+)/gi, (whole, name: string) => {
    const picture = attachments.find(({ contentId }) => contentId === name || contentId === `<${name}>`);
    if (
      picture === undefined ||
      picture.size > largestPicture ||
      !/^image\/(png|jpeg|gif|webp)$/i.test(picture.contentType ?? '')
    )
      return whole;
    return `data:${picture.contentType};base64,${Buffer.from(contentOf(picture)).toString('base64')}`;
  });

export const messageBody = (message: Message): Response => {
  const { contentType, content } = message.body;
  const body = contentType === 'text' ? `<pre>${escapeHtml(content)}</pre>` : withPictures(content, message);
  return new Response(frame(body), {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
    },
  });
};
