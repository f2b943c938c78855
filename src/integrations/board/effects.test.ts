import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Method, Path } from '#kit';
import { effectOf } from './effects.ts';

const Description = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });
const file = new URL('../../../sandbox/board/board.openapi.json', import.meta.url);
const { paths } = Description.parse(JSON.parse(readFileSync(file, 'utf8')));
const verbs = ['get', 'post', 'put', 'delete'];
const operations = Object.entries(paths).flatMap(([path, all]) =>
  verbs.filter((verb) => verb in all).map((verb) => `${verb.toUpperCase()} ${path}`),
);

const judge = (operation: string, body?: unknown) => {
  const [method, template = ''] = operation.split(' ');
  const path = `/1${template.replace(/\{[^}]+\}/g, '5f0000000000000000000001')}` as Path;
  return effectOf({ method: method as Method, path, ...(body === undefined ? {} : { body }) });
};

/** All writes the service describes; reads are the GETs. */
const writes: Record<string, 'write' | 'send' | 'destroy'> = {
  'POST /cards': 'write',
  'PUT /cards/{id}': 'write',
  'DELETE /cards/{id}': 'destroy',
  'POST /cards/{id}/actions/comments': 'write',
  'PUT /cards/{id}/actions/{idAction}/comments': 'write',
  'DELETE /cards/{id}/actions/{idAction}/comments': 'destroy',
  'POST /cards/{id}/attachments': 'write',
  'DELETE /cards/{id}/attachments/{idAttachment}': 'destroy',
  'PUT /cards/{id}/checkItem/{idCheckItem}': 'write',
  'DELETE /cards/{id}/checkItem/{idCheckItem}': 'destroy',
  'POST /cards/{id}/checklists': 'write',
  'DELETE /cards/{id}/checklists/{idChecklist}': 'destroy',
  'PUT /cards/{idCard}/checklist/{idChecklist}/checkItem/{idCheckItem}': 'write',
  'POST /cards/{id}/idLabels': 'write',
  'DELETE /cards/{id}/idLabels/{idLabel}': 'write',
  'POST /cards/{id}/labels': 'write',
  'POST /cards/{id}/idMembers': 'write',
  'DELETE /cards/{id}/idMembers/{idMember}': 'write',
  'POST /boards/': 'write',
  'PUT /boards/{id}': 'write',
  'DELETE /boards/{id}': 'destroy',
  'POST /boards/{id}/labels': 'write',
  'POST /boards/{id}/lists': 'write',
  'PUT /boards/{id}/members': 'send',
  'POST /lists': 'write',
  'PUT /lists/{id}': 'write',
  'PUT /lists/{id}/{field}': 'send',
  'PUT /lists/{id}/closed': 'write',
  'PUT /lists/{id}/idBoard': 'write',
  'POST /lists/{id}/archiveAllCards': 'write',
  'POST /lists/{id}/moveAllCards': 'write',
  'POST /checklists': 'write',
  'PUT /checklists/{id}': 'write',
  'DELETE /checklists/{id}': 'destroy',
  'PUT /checklists/{id}/{field}': 'send',
  'POST /checklists/{id}/checkItems': 'write',
  'DELETE /checklists/{id}/checkItems/{idCheckItem}': 'destroy',
  'POST /labels': 'write',
  'PUT /labels/{id}': 'write',
  'DELETE /labels/{id}': 'destroy',
  'PUT /labels/{id}/{field}': 'send',
  'PUT /members/{id}': 'send',
  'PUT /notifications/{id}': 'write',
  'PUT /notifications/{id}/unread': 'write',
  'POST /notifications/all/read': 'write',
  'PUT /organizations/{id}': 'send',
  'DELETE /organizations/{id}': 'destroy',
  'PUT /organizations/{id}/members': 'send',
  'PUT /actions/{id}': 'write',
  'DELETE /actions/{id}': 'destroy',
  'PUT /actions/{id}/text': 'write',
  'DELETE /tokens/{token}/': 'destroy',
  'POST /tokens/{token}/webhooks': 'send',
  'PUT /tokens/{token}/webhooks/{idWebhook}': 'send',
  'DELETE /tokens/{token}/webhooks/{idWebhook}': 'destroy',
  'POST /webhooks/': 'send',
  'PUT /webhooks/{id}': 'send',
  'DELETE /webhooks/{id}': 'destroy',
};

test('every operation the service describes is judged', () => {
  expect(operations).toHaveLength(112);
  expect(Object.keys(writes).toSorted()).toEqual(operations.filter((one) => !one.startsWith('GET ')).toSorted());
});

test.each(operations)('%s', (operation) => {
  expect(judge(operation)).toBe(writes[operation] ?? 'read');
});

test.each([
  ['PUT /lists/{id}/name', 'write'],
  ['PUT /checklists/{id}/pos', 'write'],
  ['PUT /labels/{id}/color', 'write'],
  ['PUT /boards/{id}/members/{idMember}', 'send'],
  ['DELETE /boards/{id}/members/{idMember}', 'destroy'],
  ['POST /boards/{id}/powerUps', 'send'],
  ['POST /boards/{id}/emailKey/generate', 'send'],
  ['PUT /cards/{id}/stickers/{idSticker}', 'write'],
  ['POST /cards/{id}/markAssociatedNotificationsRead', 'write'],
  ['PUT /cards/{id}/customField/{idField}/item', 'write'],
  ['PUT /card/{id}/customField/{idField}/item', 'write'],
  ['DELETE /cards/{id}/membersVoted/{idMember}', 'write'],
  ['DELETE /cards/{id}/stickers/{idSticker}', 'destroy'],
  ['HEAD /cards/{id}', 'read'],
  ['PUT /cards/{id}//', 'write'],
  ['POST /x/cards', 'send'],
  ['POST /somethingNew', 'send'],
  ['PUT /cards/{id}/somethingNew', 'send'],
  ['PUT /boards/{id}/prefs/permissionLevel', 'send'],
  ['PUT /boards/{id}%2Fmembers', 'send'],
  ['PUT /boards/{id}%252fmembers', 'send'],
  ['PUT /cards/{id};x', 'send'],
  ['DELETE /cards/{id}%2Fx/idLabels/{idLabel}', 'destroy'],
])('%s, which is not described, is a %s', (operation, effect) => {
  expect(judge(operation)).toBe(effect);
});

test.each([
  ['renamed', { name: 'x' }, 'write'],
  ['made public', { prefs_permissionLevel: 'public' }, 'send'],
  ['made public by the name of a put', { 'prefs/permissionLevel': 'public' }, 'send'],
  ['opened to people who join by themselves', { prefs_selfJoin: true }, 'send'],
  ['moved to a workspace', { idOrganization: 'x' }, 'send'],
  ['told where its calendar is read', { calendarFeedEnabled: true }, 'send'],
  ['changed by nothing', null, 'write'],
  ['changed by bytes we cannot read', new Uint8Array(0), 'send'],
  ['changed by a list', [], 'send'],
  ['changed by text we cannot read', 'prefs_permissionLevel=public', 'send'],
])('a board that is %s', (_, body, effect) => {
  expect([judge('POST /boards/', body), judge('PUT /boards/{id}', body)]).toEqual([effect, effect]);
});

test('a field of a board that is told anything but its value is asked about', () => {
  const named = (body: unknown) => judge('PUT /boards/{id}/name', body);
  expect([named({ value: 'x' }), named(undefined)]).toEqual(['write', 'write']);
  expect(named({ value: 'x', 'prefs/permissionLevel': 'public' })).toBe('send');
  expect(named('value=x&prefs/permissionLevel=public')).toBe('send');
  const path = '/1/boards/x/closed' as Path;
  expect(effectOf({ method: 'PUT', path, query: { value: 'false', idOrganization: 'y' } })).toBe('send');
});

test('a parameter in the query counts as one in the body', () => {
  const path = '/1/boards/x' as Path;
  expect(effectOf({ method: 'PUT', path, query: { 'prefs/permissionLevel': 'public' } })).toBe('send');
});
