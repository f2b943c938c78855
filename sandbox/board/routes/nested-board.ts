import type { Call } from '../call.ts';
import type { Board } from '../model.ts';
import { checklistsOf } from '../operations/checklists.ts';
import { membershipView, organizationShape, showMember } from '../views/boards.ts';
import { checklistShape, labelShape, listShape } from '../views/cards.ts';
import { parseFields, show } from '../views/fields.ts';
import { cardList } from './card-list.ts';
import { customFieldsOf } from './custom-fields.ts';
import { feed } from './feed.ts';
import { listsOf } from './lists-of.ts';

const wanted = (value: unknown): value is string => typeof value === 'string' && !['', 'none', 'false'].includes(value);
const orAll = (value: string): string => (value === 'true' ? 'all' : value);

/** What is asked along with a board: `lists=open&cards=visible&card_fields=…` and the like. */
export const nestedInBoard = (call: Call, board: Board): Record<string, unknown> => {
  const { input, viewer, world } = call;
  const nested: Record<string, unknown> = {};
  const fields = (name: string) => parseFields(input.raw(name), 'all');
  const lists = input.raw('lists');
  if (wanted(lists)) {
    nested['lists'] = listsOf(call, board, orAll(lists)).map((list) =>
      show(listShape, list, fields('list_fields'), viewer),
    );
  }
  const cards = input.raw('cards');
  if (wanted(cards)) {
    const one = call.with(input.only({ fields: input.raw('card_fields') ?? 'all' }));
    nested['cards'] = cardList(one, world.listsIn(board.id), orAll(cards));
  }
  if (wanted(input.raw('labels'))) {
    nested['labels'] = board.idLabels
      .map((id) => world.labels.get(id))
      .filter((label) => label !== undefined)
      .slice(0, Number(input.raw('labels_limit') ?? 50))
      .map((label) => show(labelShape, label, fields('label_fields'), viewer));
  }
  if (wanted(input.raw('members'))) {
    const shown = parseFields(input.raw('member_fields'), ['id', 'fullName', 'username', 'initials', 'avatarHash']);
    nested['members'] = board.memberships
      .map(({ idMember }) => world.members.get(idMember))
      .filter((member) => member !== undefined)
      .map((member) => showMember(member, shown, viewer));
  }
  if (wanted(input.raw('memberships'))) nested['memberships'] = board.memberships.map(membershipView);
  if (wanted(input.raw('checklists'))) {
    nested['checklists'] = world
      .listsIn(board.id)
      .flatMap(({ id }) => world.cardsIn(id))
      .flatMap((card) => checklistsOf(world, card))
      .map((checklist) => show(checklistShape, checklist, fields('checklist_fields'), viewer));
  }
  const organization = world.organizations.get(board.idOrganization ?? '');
  if (wanted(input.raw('organization')) && organization) {
    nested['organization'] = show(organizationShape, organization, fields('organization_fields'), viewer);
  }
  if (wanted(input.raw('customFields'))) nested['customFields'] = customFieldsOf(world, board.id);
  if (wanted(input.raw('pluginData'))) nested['pluginData'] = [];
  if (wanted(input.raw('myPrefs'))) {
    nested['myPrefs'] = {
      showSidebar: true,
      showSidebarMembers: true,
      showSidebarBoardActions: true,
      showSidebarActivity: true,
      idEmailList: null,
      emailPosition: 'bottom',
    };
  }
  const actions = input.raw('actions');
  if (wanted(actions)) nested['actions'] = feed(call, board.id, { filter: orAll(actions), prefix: 'actions_' });
  return nested;
};
