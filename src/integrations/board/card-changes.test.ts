import { expect, test } from 'vitest';
import type { z } from 'zod';
import { changesBetween } from './card-changes.ts';
import type { Card } from './shapes.ts';
import { changesOf } from './triggers/changes.ts';

const card: z.output<typeof Card> = {
  id: 'card-1',
  shortLink: 'aBcD1234',
  name: 'Print flyers',
  url: 'https://boards.test/c/aBcD1234',
  desc: 'a'.repeat(600),
  idList: 'list-1',
  idBoard: 'board-1',
  closed: false,
  due: null,
  dueComplete: false,
  start: null,
  labels: [{ id: 'label-1', name: '', color: 'red' }],
  idMembers: ['ada'],
  pos: 1,
  dateLastActivity: null,
};

const longer = `${card.desc}, and more`;
const told = { field: 'desc', from: `…${'a'.repeat(40)}`, to: `…${'a'.repeat(40)}, and more` };

test('every field that a step can change is told with what it was and is', () => {
  const changed = {
    name: 'Print posters',
    desc: '',
    idList: 'list-2',
    idBoard: 'board-2',
    closed: true,
    due: '2027-01-02T09:00:00.000Z',
    start: '2027-01-01T09:00:00.000Z',
    dueComplete: true,
    dueReminder: 60,
    pos: 2,
    labels: [{ id: 'label-2', name: 'Print', color: null }],
    idMembers: ['ben', 'ada'],
  };
  expect(changesBetween({ ...card, desc: 'Paper', dueReminder: null }, { ...card, ...changed })).toEqual([
    { field: 'name', from: 'Print flyers', to: 'Print posters' },
    { field: 'desc', from: 'Paper', to: '' },
    { field: 'idList', from: 'list-1', to: 'list-2' },
    { field: 'idBoard', from: 'board-1', to: 'board-2' },
    { field: 'closed', from: false, to: true },
    { field: 'due', from: null, to: '2027-01-02T09:00:00.000Z' },
    { field: 'start', from: null, to: '2027-01-01T09:00:00.000Z' },
    { field: 'dueComplete', from: false, to: true },
    { field: 'dueReminder', from: null, to: 60 },
    { field: 'pos', from: 1, to: 2 },
    { field: 'labels', from: ['label-1'], to: ['label-2'] },
    { field: 'members', from: ['ada'], to: ['ada', 'ben'] },
  ]);
});

test('of long texts that begin alike, the place where they differ is told', () => {
  expect(changesBetween(card, { ...card, desc: longer })).toEqual([told]);
  const data = { board: { id: 'board-1' }, card: { id: card.id, desc: longer }, old: { desc: card.desc } };
  expect(changesOf({ type: 'updateCard', data })).toEqual([told]);
});
