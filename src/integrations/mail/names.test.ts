import { expect, test } from 'vitest';
import type { StepContext } from '#kit';
import { calendarPath } from './calendars.ts';
import { mentions } from './collect.ts';
import { folderKey } from './folders.ts';
import { offeredLabels } from './label-changes.ts';

const [given, kept] = ['U\u0308BERBLICK', 'Überblick'];

test('a folder, calendar or label is found by its name however its accents are written', async () => {
  const thing = { id: '1', name: kept, displayName: kept, childFolderCount: 0 };
  const upstream = { get: async () => ({ value: [thing] }), post: async () => ({ responses: [] }) };
  const request = async () => ({ status: 404, headers: {}, body: null });
  const account = { scopes: ['MailboxSettings.Read'] };
  const context = { upstream: { ...upstream, request }, account } as unknown as StepContext;

  expect(await folderKey({ ...context, mailbox: undefined }, given)).toBe('1');
  expect(await calendarPath(context, undefined, given)).toBe('/me/calendars/1');
  expect(await offeredLabels(context, undefined, [given], true)).toEqual([kept]);
});

test.each([
  ['jose munoz', 'José Muñoz'],
  ['istanbul', 'ISTANBUL'],
  ['ışık', 'IŞIK'],
  ['strasse', 'Hauptstraße'],
  ['oresund', 'Øresund'],
  ['lodz', 'Łódź'],
  ['οδος', 'ΟΔΟΣΗΜΑΝΣΗ'],
  ['محمد', 'مُحَمَّد'],
  ['王', '王伟'],
  ['🚀', 'Start 🚀'],
])('%s is found in %s', (query, text) => {
  expect(mentions(query, [null, text])).toBe(true);
});

test.each([
  ['かき', 'かぎ'],
  ['की', 'का'],
])('%s is another word than %s', (query, text) => {
  expect(mentions(query, [text])).toBe(false);
});
