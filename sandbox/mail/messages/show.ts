import { GraphError } from '../graph-error.ts';
import type { Attachment, Json, Message } from '../mailbox.ts';
import { type Expand, type ODataQuery, selectFields } from '../odata/index.ts';
import type { GraphRequest } from '../route.ts';
import { attachmentView } from './attachment-view.ts';
import { bodyAs, messageView, type ViewOptions } from './view.ts';

/** How this caller sees messages in this request. */
export const viewOptions = ({ prefer, session, mailbox }: GraphRequest): ViewOptions => {
  const shared = session.person.id === mailbox.owner ? '' : '.shared';
  const reads = ['mail.read', 'mail.readwrite'].some((scope) => session.scopes.has(scope + shared));
  return { immutable: prefer.immutableIds, bodyType: prefer.bodyType, basic: !reads };
};

/** The part of a body above what it answers. */
const uniquePart = (content: string): string => {
  const cut = /<hr\b|<div[^>]+id="(?:divRplyFwdMsg|appendonsend)"|\n_{20,}|\r?\n-+ ?Original Message/i.exec(content);
  return cut === null ? content : content.slice(0, cut.index);
};

const extras: Record<string, (message: Message, options: ViewOptions) => unknown> = {
  internetMessageHeaders: (message) => message.headers,
  uniqueBody: (message, { bodyType }) => {
    const body = bodyAs(message.body, bodyType);
    return { ...body, content: uniquePart(body.content) };
  },
};

const expandAttachments = (list: readonly Attachment[], { query }: Expand): Json[] =>
  list.map((attachment) => selectFields(attachmentView(attachment), query.select));

const expandProperties = (message: Message, { query }: Expand): Json[] => {
  if (query.filter === undefined) {
    throw new GraphError(400, 'BadRequest', 'Expanding singleValueExtendedProperties requires a $filter on their id.');
  }
  return message.extended.filter((property) => query.filter?.test(property)).map((property) => ({ ...property }));
};

const expanded = (message: Message, expand: readonly Expand[]): Json => {
  const result: Json = {};
  for (const part of expand) {
    if (part.name === 'attachments') result['attachments'] = expandAttachments(message.attachments, part);
    else if (part.name === 'singleValueExtendedProperties') {
      const found = expandProperties(message, part);
      if (found.length > 0) result['singleValueExtendedProperties'] = found;
    } else if (part.name === 'event') result['event'] = null;
    else result[part.name] = [];
  }
  return result;
};

/** A message as this request asked for it. */
export const show = (request: GraphRequest, message: Message, query: ODataQuery, options: ViewOptions): Json => {
  const whole = messageView(request.mailbox, message, options);
  if (query.select !== undefined && !options.basic) {
    for (const name of query.select) {
      const extra = extras[name];
      if (extra !== undefined) whole[name] = extra(message, options);
    }
  }
  const shown = selectFields(whole, query.select) as Json;
  if (query.expand === undefined || options.basic) return shown;
  return { ...shown, ...expanded(message, query.expand) };
};
