import type { Actor, Board } from './model.ts';
import { addMemberToBoard, createBoard, createLabel, createList } from './operations/boards.ts';
import { createCard } from './operations/cards.ts';
import { grantToken } from './operations/tokens.ts';
import { launchBoard, newApp, newMember } from './seed.ts';
import type { World } from './world.ts';

const cardsPerList = 4000;

const firstAdmin = (world: World, board: Board): Actor => ({
  member: world.members.get(board.idMemberCreator) as Actor['member'],
  appKey: null,
});

/** Many cards at once, on a board of their own so that Launch stays readable. */
export const seedCards = (world: World, count: number): { idBoard: string; idLists: string[] } | null => {
  if (count === 0) return null;
  const actor = firstAdmin(world, launchBoard(world));
  const board = createBoard(world, actor, { name: `Bulk of ${count}`, defaultLists: false, defaultLabels: false });
  const label = createLabel(world, actor, board, 'Bulk', 'blue');
  const idLists: string[] = [];
  for (let made = 0; made < count; made += cardsPerList) {
    const list = createList(world, actor, board, { name: `List ${idLists.length + 1}`, pos: 'bottom' });
    idLists.push(list.id);
    for (let n = made; n < Math.min(count, made + cardsPerList); n++) {
      createCard(world, actor, list, {
        name: `Card ${n + 1}`,
        desc: 'One of many.',
        idLabels: n % 10 === 0 ? [label.id] : [],
      });
    }
  }
  return { idBoard: board.id, idLists };
};

const hex = (number: number, length: number): string => number.toString(16).padStart(length, '0');

/** Further members, each with an app, a token and a board with a list. */
export const seedAccounts = (world: World, count: number) => {
  const launch = launchBoard(world);
  const asAdmin = firstAdmin(world, launch);
  return Array.from({ length: count }, () => {
    const number = world.members.size + 1;
    const username = `member${number}`;
    const member = newMember(world, username, `Member ${number}`, `${username}@sandbox.test`);
    const key = `acc5a11db0a2d${hex(number, 19)}`;
    const app = newApp(world, { key, secret: hex(number, 64), name: `App of ${username}`, idMember: member.id });
    const scopes = ['read', 'write', 'account'];
    const value = `ATTAacc${hex(number, 69)}`;
    grantToken(world, app, member, { scopes, expiration: 'never', name: app.name, value });
    addMemberToBoard(world, asAdmin, launch, member, 'normal');
    const actor: Actor = { member, appKey: null };
    const board = createBoard(world, actor, { name: `Board of ${username}` });
    const [list] = world.listsIn(board.id);
    const { id, fullName, email } = member;
    return {
      id,
      username,
      fullName,
      email,
      key,
      token: value,
      appSecret: app.secret,
      idBoard: board.id,
      idList: list?.id,
    };
  });
};
