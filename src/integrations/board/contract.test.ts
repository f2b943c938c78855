import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Workbench, workbench } from '#test';
import { board } from './index.ts';

const Operation = z.object({ parameters: z.array(z.object({ name: z.string(), in: z.string() })).default([]) });
const Description = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });
const file = new URL('../../../sandbox/board/board.openapi.json', import.meta.url);
const { paths } = Description.parse(JSON.parse(readFileSync(file, 'utf8')));

const operations = Object.entries(paths)
  .flatMap(([path, all]) =>
    Object.entries(all).map(([verb, operation]) => ({
      name: `${verb.toUpperCase()} ${path}`,
      parts: path.split('/').filter(Boolean),
      verb,
      names: verb === 'parameters' ? [] : Operation.parse(operation).parameters.map(({ name }) => name),
    })),
  )
  .toSorted((a, b) => a.name.split('{').length - b.name.split('{').length);

/** Known from live use, and absent in the vendor's description. */
const undescribed: Record<string, readonly string[]> = {
  'POST /cards': ['dueReminder'],
  'PUT /cards/{id}': ['dueReminder'],
  'GET /cards/{id}/actions': ['limit'],
  'GET /lists/{id}/cards': ['filter', 'fields', 'members', 'member_fields'],
  'GET /boards/{id}': ['organization_fields', 'member_fields', 'labels_limit'],
  'GET /boards/{id}/members': ['fields'],
};

/** What is wrong with a request by the vendor's description, if anything. */
const mistake = (method: string, path: string, given: readonly string[]): string | undefined => {
  const parts = path.split('/').filter(Boolean).slice(1);
  const operation = operations.find(
    (one) =>
      one.verb === method.toLowerCase() &&
      one.parts.length === parts.length &&
      one.parts.every((part, at) => part.startsWith('{') || part === parts[at]),
  );
  if (operation === undefined) return `${method} ${path} is not described`;
  const known = [...operation.names, ...(undescribed[operation.name] ?? [])];
  const odd = given.filter((name) => !known.includes(name));
  return odd.length === 0 ? undefined : `${operation.name} does not take ${odd.join(', ')}`;
};

let bench: Workbench;
let accountId: string;

beforeAll(async () => {
  bench = await workbench();
  bench.board.limits.off = true;
  accountId = await bench.connectBoard();
});
afterAll(() => bench[Symbol.asyncDispose]());

/** Something to say for each step, with as much of its input as there is. */
const inputs = () => {
  const idBoard = bench.board.launch().id;
  const card = [...bench.board.world.cards.values()].find(({ idChecklists }) => idChecklists.length > 0);
  const checklist = card && bench.board.checklistsOn(card)[0];
  const cardId = card?.shortLink;
  const list = 'Doing';
  const all: Record<string, object> = {
    create_card: {
      board: 'Launch',
      list,
      name: 'N',
      desc: 'D',
      due: '2027-01-05',
      start: '2027-01-04',
      dueComplete: false,
      dueReminder: 5,
      idLabels: ['Urgent'],
      idMembers: ['ben'],
      copyFrom: cardId,
    },
    update_card: {
      cardId,
      name: 'N',
      desc: null,
      idList: list,
      pos: 1,
      due: null,
      start: null,
      dueReminder: null,
      closed: false,
      idLabels: ['Copy'],
      idMembers: null,
    },
    get_card: {
      cardId,
      include: ['checklists', 'attachments', 'comments', 'members', 'customFields', 'list', 'board'],
    },
    archive_card: { cardId },
    get_boards: { includeLists: true, workspace: 'Analytical Engines' },
    get_list_cards: { list, board: 'Launch', labels: ['Copy'], members: ['ben'] },
    create_list: { idBoard: 'Launch', name: 'N', idListSource: 'To do', ifExists: 'return' },
    add_comment_to_card: { cardId, text: 'T' },
    add_comment: { cardId, text: 'T' },
    add_checklist: { cardId, name: 'N', copyFrom: checklist?.name },
    create_checklist_item: {
      checklistId: checklist?.id,
      name: 'N',
      checked: true,
      due: '2027-01-05',
      dueReminder: 5,
      member: 'ben',
    },
    api_call: { method: 'PUT', endpoint: `/1/cards/${card?.id}`, body: { name: 'N' } },
    get_lists: { board: idBoard, includeCardCount: true },
    get_board: { board: idBoard },
    list_labels: { board: idBoard },
    list_members: { board: idBoard },
    search_cards: { query: 'a', boards: ['Launch'] },
    get_comments: { cardId },
    move_card: { cardId, list },
    add_label: { cardId, label: 'Copy' },
    remove_label: { cardId, label: 'Copy' },
    add_member: { cardId, member: 'me' },
    complete_checklist_item: { cardId, item: checklist?.checkItems[0]?.name, checklist: checklist?.name },
    attach: { cardId, url: 'https://example.com/x', setCover: true },
    create_label: { board: idBoard, name: 'N', color: 'sky' },
  };
  return all;
};

test('every step has its place here', () => {
  expect(Object.keys(inputs()).toSorted()).toEqual(board.steps.map(({ name }) => name).toSorted());
});

test.each(board.steps.map(({ name, effect }) => [name, effect] as const))(
  'what %s asks is described',
  async (name, effect) => {
    bench.board.control.log.clear();
    const before = bench.board.actions().length;
    const input = { ...inputs()[name], ...(effect === 'read' ? {} : { dryRun: true }) };
    const { status, body } = await bench.owned('POST', `/v1/steps/board.${name}/run`, { accountId, input });
    expect([status, body.error]).toEqual([200, undefined]);
    const asked = bench.board.control.log.list().map(({ method, path, status: answered }) => {
      const url = new URL(path, 'http://sandbox');
      return answered === 200 ? mistake(method, url.pathname, [...url.searchParams.keys()]) : `${path} ${answered}`;
    });
    const { request } = body;
    const written = effect === 'read' ? [] : [mistake(request.method, request.path, Object.keys(request.body ?? {}))];
    expect([...asked, ...written].filter((one) => one !== undefined)).toEqual([]);
    expect(bench.board.actions()).toHaveLength(before);
  },
);
