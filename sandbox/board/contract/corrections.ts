/** A place where the vendor's description is wrong, what is true instead, and how that is known. */
export type Correction = { schema: string; property: string; is: Record<string, unknown>; reason: string };

const id = { type: 'string', pattern: '^[0-9a-fA-F]{24}$' };
const orNull = (schema: Record<string, unknown>) => ({ anyOf: [schema, { type: 'null' }] });
const object = { type: 'object' };
const objects = { type: 'array', items: object };
const texts = { type: 'array', items: { type: 'string' } };
const dateTime = { type: 'string', format: 'date-time' };

export const corrections: readonly Correction[] = [
  {
    schema: 'Card',
    property: 'checkItemStates',
    is: orNull(objects),
    reason: 'live: objects; null in bulk lists when empty',
  },
  { schema: 'Card', property: 'dueReminder', is: orNull({ type: 'number' }), reason: 'live: minutes as a number' },
  { schema: 'Card', property: 'labels', is: objects, reason: 'live: whole labels, not ids' },
  {
    schema: 'Card',
    property: 'idLabels',
    is: { type: 'array', items: id },
    reason: 'live: ids; a oneOf of both shapes is ambiguous',
  },
  {
    schema: 'Card',
    property: 'idChecklists',
    is: { type: 'array', items: id },
    reason: 'live: ids; a oneOf of both shapes is ambiguous',
  },
  { schema: 'Card', property: 'cover', is: object, reason: 'live: size may also be full, idPlugin is present' },
  {
    schema: 'CustomFieldItems',
    property: 'value',
    is: orNull(object),
    reason: 'live: null where an option of a list is chosen, which idValue names',
  },
  { schema: 'Board', property: 'descData', is: orNull(object), reason: 'live: an object or null, not text' },
  { schema: 'Board', property: 'idOrganization', is: orNull(id), reason: 'live: null for a board without workspace' },
  { schema: 'Board', property: 'memberships', is: objects, reason: 'live: an array of memberships, not text' },
  { schema: 'Board', property: 'powerUps', is: texts, reason: 'live: an array, not text' },
  { schema: 'Board', property: 'idTags', is: texts, reason: 'live: an array, not text' },
  { schema: 'Board', property: 'ixUpdate', is: { type: 'string' }, reason: 'live: a number as text' },
  {
    schema: 'Prefs',
    property: 'permissionLevel',
    is: { enum: ['org', 'board', 'private', 'public', 'enterprise'] },
    reason: 'live: private and public exist',
  },
  { schema: 'Prefs', property: 'voting', is: { type: 'string' }, reason: 'live: members, observers and others exist' },
  { schema: 'Prefs', property: 'background', is: { type: 'string' }, reason: 'live: a colour name or an id' },
  { schema: 'Prefs', property: 'backgroundImage', is: orNull({ type: 'string' }), reason: 'live: null for a colour' },
  {
    schema: 'Prefs',
    property: 'backgroundImageScaled',
    is: orNull({ type: 'array' }),
    reason: 'live: null for a colour',
  },
  { schema: 'TrelloList', property: 'softLimit', is: orNull({ type: 'string' }), reason: 'live: null when unset' },
  {
    schema: 'CheckItem',
    property: 'pos',
    is: { type: 'number' },
    reason: "live: a number, as in the description's own example",
  },
  { schema: 'CheckItem', property: 'nameData', is: orNull(object), reason: 'live: an object or null, not text' },
  {
    schema: 'Attachment',
    property: 'bytes',
    is: orNull({ type: 'number' }),
    reason: 'live: a number for uploads, null for links',
  },
  { schema: 'Attachment', property: 'previews', is: { type: 'array' }, reason: 'live: objects for images' },
  { schema: 'Member', property: 'idEnterprise', is: orNull(id), reason: 'live: null without an enterprise' },
  {
    schema: 'Member',
    property: 'uploadedAvatarHash',
    is: orNull({ type: 'string' }),
    reason: 'live: null without an avatar',
  },
  {
    schema: 'Notification',
    property: 'type',
    is: { type: 'string' },
    reason: 'the description lists one of some thirty types',
  },
  { schema: 'Notification', property: 'dateRead', is: orNull(dateTime), reason: 'live: null while unread' },
  { schema: 'Notification', property: 'data', is: object, reason: 'live: an object, not text' },
  { schema: 'Action', property: 'limits', is: orNull(object), reason: 'live: null but for comments' },
  { schema: 'Organization', property: 'memberships', is: objects, reason: 'live: memberships, not ids' },
  {
    schema: 'TokenPermission',
    property: 'modelType',
    is: { enum: ['Board', 'Member', 'Organization', 'Enterprise'] },
    reason: 'live: with a capital',
  },
  { schema: 'Webhook', property: 'firstConsecutiveFailDate', is: orNull(dateTime), reason: 'live: a date with time' },
];

/** Answers whose whole shape differs from the description. */
export const answerCorrections: Readonly<Record<string, { is: Record<string, unknown>; reason: string }>> = {
  'POST /cards/{id}/attachments': {
    is: { $ref: '#/components/schemas/Attachment' },
    reason: 'one object, not an array',
  },
  'GET /cards/{id}/attachments/{idAttachment}': {
    is: { $ref: '#/components/schemas/Attachment' },
    reason: 'one object, not an array',
  },
  'GET /cards/{id}/{field}': {
    is: { type: 'object', required: ['_value'] },
    reason: 'a field comes wrapped in _value; /attachments and the like have routes of their own',
  },
  'GET /boards/{id}/memberships': {
    is: { type: 'array', items: { $ref: '#/components/schemas/Memberships' } },
    reason: 'an array, not one object',
  },
  'GET /members/{id}/actions': {
    is: { type: 'array', items: { $ref: '#/components/schemas/Action' } },
    reason: 'actions, not members',
  },
  'GET /search': {
    is: {
      type: 'object',
      required: ['options'],
      properties: {
        cards: { type: 'array', items: { $ref: '#/components/schemas/Card' } },
        boards: { type: 'array', items: { $ref: '#/components/schemas/Board' } },
        members: { type: 'array', items: { $ref: '#/components/schemas/Member' } },
        organizations: { type: 'array', items: { $ref: '#/components/schemas/Organization' } },
      },
    },
    reason: 'an object by model type, not an array',
  },
  'POST /notifications/all/read': { is: { type: 'object' }, reason: 'nothing is told but success' },
};

/** A label has 31 colours; the description's enum lists ten. */
export const colours = ['yellow', 'purple', 'blue', 'red', 'green', 'orange', 'black', 'sky', 'pink', 'lime'].flatMap(
  (colour) => [colour, `${colour}_dark`, `${colour}_light`],
);
