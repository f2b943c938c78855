import { tagsIn } from './body/markup.ts';
import type { WireEvent } from './event-shapes.ts';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The part of a body that the service wrote: how to join the online meeting. It stands at the end. */
const joinPart = (html: string, joinUrl: string): string => {
  let part = '';
  for (const { tag, at } of tagsIn(html)) {
    if (!/^<div.*\bclass="me-email-text"/is.test(tag)) continue;
    part = html.slice(at).replace(/<\/body>[\s\S]*$/i, '');
    break;
  }
  return part === '' ? `<p><a href="${escaped(joinUrl)}">Join the meeting</a></p>` : part;
};

type Body = { contentType: string; content: string };

/** The link to an online meeting lives in the body: a body without it would end the online meeting. */
export const keepMeetingLink = ({ body, onlineMeeting }: WireEvent, wanted: unknown): unknown => {
  const joinUrl = onlineMeeting?.joinUrl;
  const next = wanted as Body;
  if (!joinUrl || next.content.includes(joinUrl)) return wanted;
  const html = next.contentType === 'html' ? next.content : escaped(next.content).replaceAll('\n', '<br>');
  return { contentType: 'html', content: `${html}${joinPart(body?.content ?? '', joinUrl)}` };
};
