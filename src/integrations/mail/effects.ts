import { type Effect, type Path, parseEndpoint, requestHeaders, type UpstreamRequest } from '#kit';

export type Judged = Pick<UpstreamRequest, 'method' | 'path' | 'query' | 'body'>;
type Rule = readonly [method: string, path: RegExp, judge?: (body: unknown) => Effect];

const rank: Record<Effect, number> = { read: 0, write: 1, destroy: 2, send: 3 };
const gravest = (effects: readonly Effect[]): Effect =>
  effects.reduce((worst, effect) => (rank[effect] > rank[worst] ? effect : worst), 'read');

/** A JSON object with its names in lower case, as the service reads them. `undefined`: no such object, or two readings. */
const fieldsOf = (body: unknown): ReadonlyMap<string, unknown> | undefined => {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || body instanceof Uint8Array) return undefined;
  const entries = Object.entries(body).map(([name, value]) => [name.toLowerCase(), value] as const);
  const fields = new Map(entries);
  return fields.size === entries.length ? fields : undefined;
};

// What an event is part of or consists of: events and calendars that could be said to have guests of their own.
const others = ['instances', 'exceptionoccurrences', 'calendar'];

/** Whether what is said of an event invites nobody, however it is read. */
export const invitesNobody = (body: unknown): boolean => {
  const fields = fieldsOf(body);
  if (fields === undefined || others.some((name) => fields.has(name))) return false;
  const invited = [...fields].filter(([name]) => name.startsWith('attendees')).map(([, value]) => value);
  return invited.every((each) => each === null || (Array.isArray(each) && each.length === 0));
};

/** A new event sends invitations at once to whoever is invited. */
const newEvent = (body: unknown): Effect => (invitesNobody(body) ? 'write' : 'send');

// What the organizer keeps to themselves; any other change is mailed to the attendees, and who they are is not on the wire.
const personal = new Set(['categories', 'isreminderon', 'reminderminutesbeforestart']);
const onlyNames =
  (known: ReadonlySet<string>) =>
  (body: unknown): Effect => {
    const fields = fieldsOf(body);
    return fields !== undefined && [...fields.keys()].every((name) => known.has(name)) ? 'write' : 'send';
  };
const changedEvent = onlyNames(personal);

// A folder or calendar made together with what is in it could bring rules, guests and people who may read it.
const extended = ['singlevalueextendedproperties', 'multivalueextendedproperties', '@odata.type'];
const search = ['includenestedfolders', 'sourcefolderids', 'filterquery'];
const folder = onlyNames(new Set(['displayname', 'ishidden', 'parentfolderid', ...search, ...extended]));
const calendar = onlyNames(new Set(['name', 'color', 'hexcolor', 'isdefaultcalendar', ...extended]));

/** Automatic replies are mail, and delegates are people; formats and hours are neither. */
const settings = onlyNames(new Set(['timezone', 'workinghours', 'dateformat', 'timeformat', 'language']));

const response = (body: unknown): Effect => {
  const answer = fieldsOf(body)?.get('sendresponse');
  return answer === false || String(answer).toLowerCase() === 'false' ? 'write' : 'send';
};

// A name that its writer made up. Numbers, and the names of headers, tell the service when a mail leaves, what goes with
// it and what is kept of it, and it lists none of them afterwards: nobody could be shown what then leaves.
const note =
  /^[a-z]+ \{(?!00020386-0000-0000-c000-000000000046\})[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\} name \S/i;
const isNoted = (each: unknown): boolean => {
  const id = fieldsOf(each)?.get('id');
  return typeof id === 'string' && note.test(id);
};
const onlyNotes = (fields: ReadonlyMap<string, unknown>): boolean =>
  ['singlevalueextendedproperties', 'multivalueextendedproperties'].every((name) => {
    const given = fields.get(name) ?? [];
    return Array.isArray(given) && given.every(isNoted);
  });

// A link to a file elsewhere can open that file to whoever has the link; of a draft that holds it only its name is listed.
const links = ['sourceurl', 'permission', 'providertype'];
const attached = (each: unknown): Effect => {
  const fields = fieldsOf(each ?? {});
  const type = fields?.get('@odata.type') ?? '';
  if (fields === undefined || typeof type !== 'string') return 'send';
  return /reference/i.test(type) || links.some((name) => fields.has(name)) ? 'send' : 'write';
};
const onlyFiles = (fields: ReadonlyMap<string, unknown>): boolean => {
  const given = fields.get('attachments') ?? [];
  return Array.isArray(given) && given.every((each) => attached(each) === 'write');
};

/** A mail as base64 begins with the name of a header; the service may read any other text as JSON. */
const isMime = (text: string): boolean =>
  /^[A-Za-z0-9+/=\s]*$/.test(text) && /^[A-Za-z0-9]/.test(Buffer.from(text, 'base64').toString('latin1'));

/** A message that is written but not sent. What cannot be shown when it is, is asked about now. */
const draft = (body: unknown): Effect => {
  if (body === undefined || body === null) return 'write';
  // A mail that comes as MIME has no properties.
  if (typeof body === 'string') return isMime(body) ? 'write' : 'send';
  const fields = fieldsOf(body);
  const inner = fieldsOf(fields?.get('message') ?? {});
  const isPlain = (each: ReadonlyMap<string, unknown> | undefined) =>
    each !== undefined && onlyNotes(each) && onlyFiles(each);
  return isPlain(fields) && isPlain(inner) ? 'write' : 'send';
};

const intoFolder = (body: unknown): Effect => {
  const to = fieldsOf(body)?.get('destinationid');
  return typeof to === 'string' && to.trim().toLowerCase() !== 'outbox' ? 'write' : 'send';
};

const batch = (body: unknown): Effect => {
  const parts = fieldsOf(body)?.get('requests');
  if (!Array.isArray(parts)) return 'send';
  return gravest(parts.map(part));
};

/** Whether the headers of a part are such as a request may have, and leave its body what it seems. */
const plainHeaders = (given: unknown): boolean => {
  if (given === undefined || given === null) return true;
  const headers = fieldsOf(given);
  const known = headers !== undefined && [...headers.keys()].every((name) => requestHeaders.has(name));
  return known && isUtf8(headers.get('content-type') ?? '');
};
const isUtf8 = (type: unknown): boolean =>
  typeof type === 'string' && (!/charset/i.test(type) || /charset\s*=\s*"?utf-8"?\s*(?:;|$)/i.test(type));

// The parts of a batch are told without server.
const elsewhere = /^\s*[a-z][a-z\d+.-]*:/i;

const part = (given: unknown): Effect => {
  const fields = fieldsOf(given);
  if (!plainHeaders(fields?.get('headers'))) return 'send';
  const [method, url] = [fields?.get('method'), fields?.get('url')];
  if (typeof method !== 'string' || typeof url !== 'string' || elsewhere.test(url)) return 'send';
  try {
    const { path } = parseEndpoint(url.startsWith('/') ? url : `/${url}`);
    // A batch inside a batch is refused by the service, and by nothing else.
    return /batch/i.test(path) ? 'send' : judge(method.toUpperCase(), path, fields?.get('body'));
  } catch {
    return 'send';
  }
};

const always = (effect: Effect) => () => effect;
const id = '[^/]+';
const below = (pattern: string): RegExp => new RegExp(`^${pattern.replaceAll(':id', id)}$`);

/** Known requests below a mailbox, in the plain form that `plain` makes. The first that fits decides. */
const rules: readonly Rule[] = [
  ['POST', below('(?:getschedule|findmeetingtimes|translateexchangeids|getmailtips)'), always('read')],
  ['POST', below('messages'), draft],
  ['PATCH', below('messages/:id'), draft],
  ['POST', below('messages/:id/(?:move|copy)'), intoFolder],
  ['POST', below('messages/:id/(?:createreply|createreplyall|createforward)'), draft],
  ['POST', below('messages/:id/attachments'), attached],
  ['POST', below('messages/:id/extensions')],
  ['POST', below('messages/:id/attachments/createuploadsession')],
  ['PATCH', below('messages/:id/extensions/:id')],
  [
    'POST',
    below('(?:messages/:id|mailfolders/:id|contacts/:id|contactfolders/:id)/permanentdelete'),
    always('destroy'),
  ],
  ['POST', below('mailfolders/:id/(?:move|copy)'), intoFolder],
  ['POST', below('mailfolders(?:/:id/childfolders)?'), folder],
  ['PATCH', below('mailfolders/:id'), folder],
  ['POST', below('outlook/mastercategories')],
  ['PATCH', below('outlook/mastercategories/:id')],
  ['POST', below('inferenceclassification/overrides')],
  ['PATCH', below('inferenceclassification/overrides/:id')],
  ['POST', below('contactfolders(?:/:id/childfolders)?')],
  ['PATCH', below('contactfolders/:id')],
  ['POST', below('contacts(?:/:id/extensions)?')],
  ['PATCH', below('contacts/:id(?:/photo/\\$value)?')],
  ['PUT', below('contacts/:id/photo/\\$value')],
  ['POST', below('(?:calendars|calendargroups)'), calendar],
  ['PATCH', below('(?:calendar|calendars/:id|calendargroups/:id)'), calendar],
  ['POST', below('events'), newEvent],
  ['PATCH', below('events/:id'), changedEvent],
  ['POST', below('events/:id/(?:accept|decline|tentativelyaccept)'), response],
  ['POST', below('events/:id/(?:snoozereminder|dismissreminder)')],
  ['PATCH', below('mailboxsettings'), settings],
];

const mailbox = /^\/(?:me|users\/[^/]+)\//;
const inFolders = /^mailfolders\/[^/]+\/(?=messages(?:\/|$))/;
const inContactFolders = /^contactfolders\/[^/]+\/(?=contacts(?:\/|$))/;
const inCalendars =
  /^(?:calendargroups?\/(?:[^/]+\/)?calendars\/[^/]+|calendars\/[^/]+|calendar)\/(?=(?:events|getschedule)(?:\/|$))/;
const nested = /^(mailfolders|contactfolders)\/[^/]+\/childfolders\/([^/]+)(?=\/|$)/;

/** The path as the service reads it: decoded, in lower case, keys as segments. `undefined`: not readable in one way. */
const plain = (path: string): string | undefined => {
  const segments: string[] = [];
  for (const written of path.replace(/\/$/, '').split('/').slice(1)) {
    let text: string;
    try {
      text = decodeURIComponent(written).toLowerCase();
    } catch {
      return undefined;
    }
    if (text === '' || /[/\\%\u0000-\u001f]/.test(text)) return undefined;
    const [, name, key] = /^([a-z.]+)\('?(.*?)'?\)$/.exec(text) ?? [undefined, text, undefined];
    segments.push((name ?? '').replace(/^microsoft\.graph\./, ''));
    if (key !== undefined && key !== '') segments.push(key);
  }
  return `/${segments.join('/')}`;
};

const withinMailbox = (path: string): string | undefined => {
  if (!mailbox.test(path)) return undefined;
  let rest = path.replace(mailbox, '');
  // Folders inside folders are folders.
  while (nested.test(rest)) rest = rest.replace(nested, '$1/$2');
  return rest.replace(inFolders, '').replace(inContactFolders, '').replace(inCalendars, '');
};

/** A path whose letters and digits are not escaped: the same address. */
export const spelledOut = (path: Path): Path =>
  path.replace(/%(?:3[0-9]|[46][1-9a-f]|[57][0-9a])/gi, decodeURIComponent) as Path;

export const isBatch = (path: string): boolean => plain(path.replace(/\/+$/, '')) === '/$batch';

const judge = (method: string, path: string, body: unknown): Effect => {
  if (method === 'GET' || method === 'HEAD') return 'read';
  const read = plain(path);
  if (read === undefined) return 'send';
  if (method === 'POST' && read === '/$batch') return batch(body);
  // Drafts put straight into the outbox are on their way.
  if (/\/(?:mail|child)folders\/outbox(?:\/|$)/.test(read) && method !== 'DELETE') return 'send';
  const rest = withinMailbox(read);
  const rule = rest === undefined ? undefined : rules.find(([verb, known]) => verb === method && known.test(rest));
  if (rule !== undefined) return rule[2]?.(body) ?? 'write';
  // Deleting a meeting, or a part of it, is mailed to those who were invited.
  return method === 'DELETE' && !/\/(?:events?|calendarview|instances)(?:\/|$)/.test(read) ? 'destroy' : 'send';
};

/**
 * What a request to the mail service does, judged on the wire. Whatever makes mail leave or tells others (sending, replies,
 * meeting mail, automatic replies, rules, subscriptions) is a send, and so is every write that is not known.
 */
export const effectOf = ({ method, path, body }: Judged): Effect => judge(method, path, body);
