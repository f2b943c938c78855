import { badRequest, GraphError, itemNotFound } from '../graph-error.ts';
import { newItemId, readId } from '../ids.ts';
import type { Category } from '../mailbox.ts';
import { parseQuery, selectFields } from '../odata/index.ts';
import {
  contextOf,
  created,
  type GraphAnswer,
  type GraphRequest,
  type GraphRoute,
  jsonBody,
  noContent,
  ok,
} from '../route.ts';
import { pick, readText } from '../values.ts';

const reading = ['MailboxSettings.Read', 'MailboxSettings.ReadWrite'];
const writing = ['MailboxSettings.ReadWrite'];

const readColor = (value: unknown): string => {
  const color = readText(value ?? 'none', 'color').toLowerCase();
  if (color === 'none' || /^preset(1?\d|2[0-4])$/.test(color)) return color;
  throw badRequest(`Requested value '${color.slice(0, 50)}' was not found.`);
};

const find = ({ mailbox, params }: GraphRequest): Category => {
  const id = params['category'] ?? '';
  const found = mailbox.categories.find((category) => category.id === id);
  if (found !== undefined) return found;
  readId(id);
  throw itemNotFound();
};

const single = (request: GraphRequest, category: Category) => ({
  '@odata.context': contextOf(request, 'outlook/masterCategories/$entity'),
  ...category,
});

const list = (request: GraphRequest): GraphAnswer => {
  const { select } = parseQuery(request.query, { entity: 'outlookCategory' });
  return ok({
    '@odata.context': contextOf(request, 'outlook/masterCategories'),
    value: request.mailbox.categories.map((category) => selectFields(category, select)),
  });
};

const create = (request: GraphRequest): GraphAnswer => {
  const { mailbox } = request;
  const body = jsonBody(request);
  const displayName = readText(pick(body, 'displayName') ?? '', 'displayName');
  if (displayName.trim() === '') throw badRequest('The display name of a category is required.');
  if (mailbox.categories.some((category) => category.displayName.toLowerCase() === displayName.toLowerCase())) {
    throw new GraphError(409, 'CategoryNameDuplicate', `The category '${displayName.slice(0, 100)}' already exists.`);
  }
  const category = { id: newItemId(mailbox), displayName, color: readColor(pick(body, 'color')) };
  mailbox.categories.push(category);
  return created(single(request, category));
};

/** The name never changes. */
const recolor = (request: GraphRequest): GraphAnswer => {
  const category = find(request);
  const body = jsonBody(request);
  const name = pick(body, 'displayName');
  if (name !== undefined && name !== category.displayName)
    throw badRequest('The display name of a category cannot be changed.');
  const color = pick(body, 'color');
  if (color !== undefined) category.color = readColor(color);
  return ok(single(request, category));
};

const remove = (request: GraphRequest): GraphAnswer => {
  const gone = find(request);
  request.mailbox.categories = request.mailbox.categories.filter((category) => category !== gone);
  return noContent();
};

const one = (request: GraphRequest): GraphAnswer => ok(single(request, find(request)));

export const categoryRoutes: GraphRoute[] = [
  { method: 'GET', path: 'outlook/masterCategories', scopes: reading, handle: list },
  { method: 'POST', path: 'outlook/masterCategories', scopes: writing, handle: create },
  { method: 'GET', path: 'outlook/masterCategories/:category', scopes: reading, handle: one },
  { method: 'PATCH', path: 'outlook/masterCategories/:category', scopes: writing, handle: recolor },
  { method: 'DELETE', path: 'outlook/masterCategories/:category', scopes: writing, handle: remove },
];
