/* What the vendor's description leaves out. */

type Shape = Record<string, unknown>;

const one = (schema: string): Shape => ({ $ref: `#/components/schemas/${schema}` });
const many = (schema: string): Shape => ({ type: 'array', items: one(schema) });
const value: Shape = { type: 'object', required: ['_value'] };
const object: Shape = { type: 'object' };

/** Operations that the description lists without the shape of their answers; each answers these, as recorded live. */
export const untold: Readonly<Record<string, Shape>> = {
  'GET /cards/{id}/board': one('Board'),
  'GET /cards/{id}/list': one('TrelloList'),
  'GET /cards/{id}/members': many('Member'),
  'GET /cards/{id}/checklists': many('Checklist'),
  'POST /cards/{id}/checklists': one('Checklist'),
  'GET /cards/{id}/checkItem/{idCheckItem}': one('CheckItem'),
  'PUT /cards/{id}/checkItem/{idCheckItem}': one('CheckItem'),
  'PUT /cards/{id}/actions/{idAction}/comments': one('Action'),
  'POST /cards/{id}/labels': one('Label'),
  'POST /cards/{id}/idMembers': many('Member'),
  'POST /boards/': one('Board'),
  'PUT /boards/{id}': one('Board'),
  'GET /boards/{id}/{field}': value,
  'GET /boards/{boardId}/actions': many('Action'),
  'GET /boards/{id}/cards': many('Card'),
  'GET /boards/{id}/cards/{filter}': many('Card'),
  'GET /boards/{id}/checklists': many('Checklist'),
  'GET /boards/{id}/labels': many('Label'),
  'POST /boards/{id}/labels': one('Label'),
  'GET /boards/{id}/lists/{filter}': many('TrelloList'),
  'GET /boards/{id}/members': many('Member'),
  'POST /lists': one('TrelloList'),
  'GET /lists/{id}': one('TrelloList'),
  'PUT /lists/{id}': one('TrelloList'),
  'PUT /lists/{id}/{field}': one('TrelloList'),
  'PUT /lists/{id}/closed': one('TrelloList'),
  'PUT /lists/{id}/idBoard': one('TrelloList'),
  'GET /lists/{id}/actions': many('Action'),
  'GET /lists/{id}/board': one('Board'),
  'POST /checklists': one('Checklist'),
  'GET /checklists/{id}': one('Checklist'),
  'PUT /checklists/{id}': one('Checklist'),
  'GET /checklists/{id}/{field}': value,
  'GET /checklists/{id}/checkItems': many('CheckItem'),
  'POST /checklists/{id}/checkItems': one('CheckItem'),
  'GET /checklists/{id}/checkItems/{idCheckItem}': one('CheckItem'),
  'POST /labels': one('Label'),
  'GET /labels/{id}': one('Label'),
  'PUT /labels/{id}': one('Label'),
  'PUT /labels/{id}/{field}': one('Label'),
  'GET /actions/{id}': one('Action'),
  'PUT /actions/{id}': one('Action'),
  'PUT /actions/{id}/text': one('Action'),
  'GET /batch': { type: 'array', items: object },
  'GET /webhooks/{id}/{field}': value,
};

const fieldOf = (things: string, method: string, is: Shape) => [
  {
    operation: `${method} /${things}/{id}/{field}`,
    reason: 'trimmed away: every field of a thing has an address of its own',
    is,
  },
];

/** Operations that the service has and the description does not list, with the reason and what they answer. */
export const undescribed: readonly { operation: string; reason: string; is: Shape | undefined }[] = [
  {
    operation: 'GET /cards/{id}/attachments/{idAttachment}/download/{name}',
    reason: "an attachment's own address, which the service tells in its url: the file itself, no JSON",
    is: undefined,
  },
  ...fieldOf('cards', 'PUT', one('Card')),
  ...['actions', 'members', 'notifications', 'organizations'].flatMap((things) => fieldOf(things, 'GET', value)),
  ...['PUT', 'DELETE'].map((method) => ({
    operation: `${method} /boards/{id}/members/{idMember}`,
    reason: 'trimmed away: a member of a board is set and removed by it',
    is: object,
  })),
  {
    operation: 'POST /cards/{id}/membersVoted',
    reason: 'trimmed away: the list of those who voted is in the description, voting is not',
    is: object,
  },
  ...[
    ['card', 'Card'],
    ['board', 'Board'],
    ['list', 'TrelloList'],
  ].map(([name = '', schema = '']) => ({
    operation: `GET /notifications/{id}/${name}`,
    reason: 'trimmed away: what a notification is about',
    is: one(schema),
  })),
  ...['POST /customFields', 'PUT /cards/{id}/customField/{idCustomField}/item'].map((operation) => ({
    operation,
    reason: 'trimmed away: the values of custom fields are in the description, making fields and setting values is not',
    is: object,
  })),
  {
    operation: 'GET /boards/{id}/customFields',
    reason: 'trimmed away: the fields of a board',
    is: { type: 'array', items: object },
  },
  { operation: 'POST /organizations', reason: 'trimmed away: creating a workspace', is: one('Organization') },
  {
    operation: 'GET /organizations/{id}/memberships',
    reason: 'trimmed away: memberships are in the description for boards only',
    is: many('Memberships'),
  },
];

/** Pages for people, which no description covers: the key's own sign-in. */
export const pages = /^\/1\/authorize(?:[/?]|$)/;
