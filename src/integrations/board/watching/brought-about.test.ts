import { expect, test } from 'vitest';
import { boardScene } from '../../../../test/board-scene.ts';
import { boardUpstream } from '../upstream.ts';
import { Action, occurrenceOf } from './occurrence.ts';
import { own } from './own.ts';

/** Calls the service as ada, and answers what that brought about which is not known as ours. */
const scene = async () => {
  const { bench, board, contextOf, [Symbol.asyncDispose]: dispose } = await boardScene();
  const { upstream } = contextOf();
  const by = board.member('ada').id;
  const unknown: string[] = [];
  const told: string[] = [];
  const does = async (method: string, path: string, body: object = {}) => {
    const before = board.actions().length;
    const at = new Date();
    const answer = await bench.make(method, path, body);
    const upstreamId = boardUpstream.idOf(answer) ?? null;
    for (const action of board.actions().slice(before)) {
      const known = occurrenceOf(Action.parse(action));
      const occurrence = own.isUnplaced?.(known) === true ? await own.placed?.(known, upstream) : known;
      if (occurrence === undefined) continue;
      const isFound = upstreamId === null || own.traces(occurrence).includes(upstreamId);
      const isOwn = own.isCausedBy(occurrence, { method, path, body, upstreamId, state: 'sent', at, by });
      told.push(action.type);
      if (!isFound || isOwn !== true) unknown.push(`${method} ${path}: ${action.type}`);
    }
    return answer;
  };
  return { board, by, does, told, unknown, [Symbol.asyncDispose]: dispose };
};

test('whatever a request of ours brings about is known as ours', async () => {
  await using here = await scene();
  const { board, by, does } = here;
  const launch = board.launch();
  const elsewhere = board.newBoard();
  const [todo, doing] = board.lists();
  if (todo === undefined || doing === undefined) throw new Error('no lists');
  const ben = board.member('ben').id;
  const card = board.newCard({});
  const place = `/1/cards/${card.id}`;
  const short = `/1/cards/${card.shortLink}`;

  await does('PUT', place, { cover: { color: 'red' } });
  const cover = { url: 'https://example.com/a.png', name: 'a.png', setCover: true };
  await does('POST', `${place}/attachments`, cover);
  await does('PUT', place, { due: '2027-01-01' });
  await does('PUT', place, { due: '' });
  await does('POST', `${place}/labels`, { color: 'blue', name: 'Fresh' });
  await does('POST', `${place}/membersVoted`, { value: by });
  const checklist = await does('POST', '/1/checklists', { idCard: card.id, name: 'Steps' });
  await does('PUT', `/1/checklists/${checklist.id}`, { name: 'More steps' });
  await does('POST', '/1/checklists', { idCard: card.id, idChecklistSource: checklist.id });
  const item = await does('POST', `/1/checklists/${checklist.id}/checkItems`, { name: 'One' });
  await does('PUT', `${place}/checkItem/${item.id}`, { state: 'complete' });
  await does('PUT', short, { idBoard: elsewhere.id });
  await does('PUT', `${short}/idBoard`, { value: launch.id });
  const fresh = await does('POST', '/1/lists', { idBoard: launch.id, name: 'Fresh' });
  const copied = board.newCard({ list: doing, due: '2027-01-01T00:00:00.000Z', idMembers: [ben] });
  board.newChecklist(copied);
  await does('POST', `/1/lists/${doing.id}/moveAllCards`, { idBoard: launch.id, idList: fresh.id });
  await does('POST', '/1/lists', { idBoard: launch.id, name: 'Copied', idListSource: doing.id });
  await does('POST', '/1/cards', { idList: fresh.id, idCardSource: copied.id });
  await does('POST', '/1/cards', { idList: fresh.id, idMembers: [ben], due: '2027-01-01', name: 'Whole' });
  const [there] = board.lists(elsewhere);
  await does('POST', `/1/lists/${fresh.id}/moveAllCards`, { idBoard: elsewhere.id, idList: there?.id });
  await does('POST', `/1/lists/${there?.id}/archiveAllCards`);
  await does('POST', '/1/boards', { name: 'Copied', idBoardSource: launch.id, keepFromSource: 'cards' });
  await does('PUT', `/1/boards/${elsewhere.id}/members/${ben}`, { type: 'normal' });
  await does('DELETE', `/1/boards/${elsewhere.id}/members/${ben}`);

  expect(here.unknown).toEqual([]);
  expect(new Set(here.told)).toEqual(
    new Set(
      `updateCard addAttachmentToCard createLabel addLabelToCard voteOnCard addChecklistToCard updateChecklist
      copyChecklist createCheckItem updateCheckItemStateOnCard moveCardFromBoard moveCardToBoard createList copyCard
      copyBoard addToOrganizationBoard addMemberToBoard removeMemberFromBoard addMemberToCard createCard`
        .trim()
        .split(/\s+/),
    ),
  );
});
