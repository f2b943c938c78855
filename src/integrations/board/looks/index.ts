import type { FindContext, Verdict } from '#kit';
import type { Look } from './context.ts';
import { attachmentMade, cardMade, checkItemMade, checklistMade, commentMade, labelMade, listMade } from './made.ts';
import { cardChanged, cardHas, checkItemChanged, customFieldSet } from './state.ts';

const looks: readonly (readonly [method: string, path: RegExp, look: Look])[] = [
  ['POST', /^\/1\/cards$/, cardMade],
  ['POST', /^\/1\/lists$/, listMade],
  ['POST', /^\/1\/labels$/, labelMade],
  ['POST', /^\/1\/checklists$/, checklistMade],
  ['POST', /^\/1\/checklists\/(\w+)\/checkItems$/, checkItemMade],
  ['POST', /^\/1\/cards\/(\w+)\/actions\/comments$/, commentMade],
  ['POST', /^\/1\/cards\/(\w+)\/attachments$/, attachmentMade],
  ['POST', /^\/1\/cards\/(\w+)\/idLabels$/, cardHas('idLabels', true)],
  ['POST', /^\/1\/cards\/(\w+)\/idMembers$/, cardHas('idMembers', true)],
  ['DELETE', /^\/1\/cards\/(\w+)\/idLabels\/(\w+)$/, cardHas('idLabels', false)],
  ['DELETE', /^\/1\/cards\/(\w+)\/idMembers\/(\w+)$/, cardHas('idMembers', false)],
  ['PUT', /^\/1\/cards\/(\w+)$/, cardChanged],
  ['PUT', /^\/1\/cards\/(\w+)\/customField\/(\w+)\/item$/, customFieldSet],
  ['PUT', /^\/1\/cards\/(\w+)\/checkItem\/(\w+)$/, checkItemChanged],
];

const fieldsOf = (body: unknown): Record<string, unknown> =>
  typeof body === 'object' && body !== null && !(body instanceof Uint8Array) ? { ...body } : {};

/** Finds out whether an uncertain write of any of these steps happened: the request itself says what to look for. */
export const look = (context: FindContext): Promise<Verdict> => {
  const { method, path, query, body } = context.request;
  for (const [verb, pattern, each] of looks) {
    const match = verb === method ? pattern.exec(path) : null;
    if (match !== null) return each({ ids: match.slice(1), sent: { ...query, ...fieldsOf(body) } }, context);
  }
  return Promise.resolve('unclear');
};
