import { GraphError, invalidBody } from '../graph-error.ts';
import type { Body, ExtendedProperty, Flag, Header, Json, Message } from '../mailbox.ts';
import { previewOf, wholeHtml } from '../text.ts';
import {
  pick,
  readAddress,
  readAddresses,
  readEnum,
  readFlag,
  readList,
  readMoment,
  readObject,
  readText,
  readTexts,
} from '../values.ts';

/** What a client may set, in canonical names. */
export type MessageFields = Partial<Message> & { attachmentsJson?: unknown[] };

export const readBody = (value: unknown, name: string): Body => {
  const object = readObject(value, name);
  const contentType = readEnum(pick(object, 'contentType') ?? 'text', `${name}/contentType`, ['html', 'text']);
  const content = readText(pick(object, 'content') ?? '', `${name}/content`);
  return { contentType, content: contentType === 'html' ? wholeHtml(content) : content };
};

const readFlagProperty = (value: unknown): Flag => {
  const object = readObject(value, 'flag');
  const flag: Flag = {
    flagStatus: readEnum(pick(object, 'flagStatus') ?? 'notFlagged', 'flag/flagStatus', [
      'notFlagged',
      'complete',
      'flagged',
    ]),
  };
  for (const name of ['startDateTime', 'dueDateTime', 'completedDateTime'] as const) {
    const moment = pick(object, name);
    if (moment !== undefined && moment !== null) flag[name] = readMoment(moment, `flag/${name}`);
  }
  if (flag.dueDateTime !== undefined && flag.startDateTime === undefined) {
    throw new GraphError(400, 'ErrorInvalidArgument', 'The start date must be set when the due date is set.');
  }
  return flag;
};

const readHeaders = (value: unknown): Header[] =>
  readList(value, 'internetMessageHeaders').map((entry) => {
    const header = readObject(entry, 'internetMessageHeaders');
    const name = readText(pick(header, 'name'), 'internetMessageHeaders/name');
    if (!/^x-[\x21-\x39\x3b-\x7e]*$/i.test(name)) {
      throw new GraphError(
        400,
        'InvalidInternetMessageHeader',
        `The internet message header name '${name.slice(0, 100)}' should start with 'x-' or 'X-'.`,
      );
    }
    return { name, value: readText(pick(header, 'value'), 'internetMessageHeaders/value').replace(/[\r\n]+/g, ' ') };
  });

const propertyId =
  /^(String|Integer|Boolean|Double|SystemTime|Binary|CLSID|Short|Long|Currency|Float)\s+(\{[0-9a-f-]{36}\}\s+(Name|Id)\s+.+|0x[0-9a-f]{1,4})$/i;

export const assertPropertyId = (id: string): string => {
  if (!propertyId.test(id))
    throw new GraphError(400, 'ErrorInvalidProperty', `The property id '${id.slice(0, 100)}' is invalid.`);
  return id;
};

const readExtended = (value: unknown): ExtendedProperty[] =>
  readList(value, 'singleValueExtendedProperties').map((entry) => {
    const property = readObject(entry, 'singleValueExtendedProperties');
    return {
      id: assertPropertyId(readText(pick(property, 'id'), 'singleValueExtendedProperties/id')),
      value: readText(pick(property, 'value'), 'singleValueExtendedProperties/value'),
    };
  });

type Reader = (value: unknown, fields: MessageFields) => void;
const nullable =
  (read: Reader, whenNull: (fields: MessageFields) => void): Reader =>
  (value, fields) =>
    value === null ? whenNull(fields) : read(value, fields);
const list = (name: string, set: (fields: MessageFields, value: unknown) => void): [string, Reader] => [
  name.toLowerCase(),
  (value, fields) => set(fields, value ?? []),
];

const readers = new Map<string, Reader>([
  [
    'subject',
    nullable(
      (v, f) => void (f.subject = readText(v, 'subject')),
      (f) => void (f.subject = ''),
    ),
  ],
  [
    'body',
    (value, fields) => {
      fields.body = value === null ? { contentType: 'text', content: '' } : readBody(value, 'body');
      fields.preview = previewOf(fields.body);
    },
  ],
  [
    'from',
    nullable(
      (v, f) => void (f.from = readAddress(v, 'from')),
      (f) => void (f.from = null),
    ),
  ],
  [
    'sender',
    nullable(
      (v, f) => void (f.sender = readAddress(v, 'sender')),
      (f) => void (f.sender = null),
    ),
  ],
  list('toRecipients', (f, v) => void (f.to = readAddresses(v, 'toRecipients'))),
  list('ccRecipients', (f, v) => void (f.cc = readAddresses(v, 'ccRecipients'))),
  list('bccRecipients', (f, v) => void (f.bcc = readAddresses(v, 'bccRecipients'))),
  list('replyTo', (f, v) => void (f.replyTo = readAddresses(v, 'replyTo'))),
  list('categories', (f, v) => void (f.categories = [...new Set(readTexts(v, 'categories'))])),
  ['importance', (v, f) => void (f.importance = readEnum(v, 'importance', ['low', 'normal', 'high']))],
  [
    'inferenceclassification',
    (v, f) => void (f.inference = readEnum(v, 'inferenceClassification', ['focused', 'other'])),
  ],
  ['isread', (v, f) => void (f.isRead = readFlag(v, 'isRead'))],
  ['isreadreceiptrequested', (v, f) => void (f.isReadReceiptRequested = readFlag(v, 'isReadReceiptRequested'))],
  [
    'isdeliveryreceiptrequested',
    (v, f) => void (f.isDeliveryReceiptRequested = readFlag(v, 'isDeliveryReceiptRequested')),
  ],
  ['flag', (v, f) => void (f.flag = readFlagProperty(v))],
  list('internetMessageHeaders', (f, v) => void (f.headers = readHeaders(v))),
  [
    'internetmessageid',
    nullable(
      (v, f) => void (f.internetMessageId = readText(v, 'internetMessageId')),
      () => {},
    ),
  ],
  list('singleValueExtendedProperties', (f, v) => void (f.extended = readExtended(v))),
  list('attachments', (f, v) => void (f.attachmentsJson = readList(v, 'attachments'))),
]);

/** Known, but not for clients to set: ignored, as the service does. */
const ignored = new Set(
  `id changekey createddatetime lastmodifieddatetime receiveddatetime sentdatetime hasattachments bodypreview
  parentfolderid conversationid conversationindex isdraft weblink uniquebody multivalueextendedproperties extensions`.split(
    /\s+/,
  ),
);

export const readMessage = (object: Json): MessageFields => {
  const fields: MessageFields = {};
  for (const [name, value] of Object.entries(object)) {
    if (name.includes('@')) continue;
    const lower = name.toLowerCase();
    const read = readers.get(lower);
    if (read !== undefined) read(value, fields);
    else if (!ignored.has(lower)) {
      throw invalidBody(
        `The property '${name.slice(0, 100)}' does not exist on type 'microsoft.graph.message'. Make sure to only use property names that are defined by the type.`,
      );
    }
  }
  return fields;
};

/** Only on drafts; on other mail the service refuses them. */
const sensitive = ['subject', 'body', 'to', 'cc', 'bcc', 'replyTo', 'internetMessageId', 'extended'] as const;

export const refuseSensitive = (fields: MessageFields): void => {
  const named = sensitive.find((name) => fields[name] !== undefined);
  if (named !== undefined) {
    throw new GraphError(
      403,
      'ErrorAccessDenied',
      'Access is denied. This property can only be changed while the message is a draft.',
    );
  }
};
