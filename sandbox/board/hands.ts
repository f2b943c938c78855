import { credentialsOf, findMember } from './control-routes.ts';
import type { Action, Actor, Board, Card, Checklist, Label, List, Member, Notification, Webhook } from './model.ts';
import { createBoard, createLabel, createList, type NewBoard } from './operations/boards.ts';
import { commentOnCard } from './operations/card-parts.ts';
import { type CardChanges, createCard, type NewCard, updateCard } from './operations/cards.ts';
import { addChecklist } from './operations/checklists.ts';
import type { Place } from './positions.ts';
import { launchBoard } from './seed.ts';
import type { World } from './world.ts';

let made = 0;

/** Hands on the state, for tests: what they do is recorded and told to webhooks like anything else. */
export class BoardHands {
  readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  /** A member by username, address or id; ada unless said otherwise. */
  member(who = 'ada'): Member {
    const member = findMember(this.world, who);
    if (!member) throw new Error(`The board sandbox has no member ${who}.`);
    return member;
  }

  #as(who?: string): Actor {
    return { member: this.member(who), appKey: null };
  }

  credentials(who = 'ada'): { key: string; token: string; appSecret: string } {
    const { id } = this.member(who);
    const found = credentialsOf(this.world).members.find((one) => one.id === id);
    if (!found) throw new Error(`The board sandbox has no token for ${who}.`);
    const { key, token, appSecret } = found;
    return { key, token, appSecret };
  }

  /** The seeded board. */
  launch(): Board {
    return launchBoard(this.world);
  }

  newBoard(wanted: Partial<NewBoard> & { as?: string } = {}): Board {
    const { as, ...board } = wanted;
    return createBoard(this.world, this.#as(as), { name: `Board ${++made}`, ...board });
  }

  newList(wanted: { board?: Board; name?: string; pos?: Place; as?: string } = {}): List {
    const { board = this.launch(), name = `List ${++made}`, pos = 'bottom', as } = wanted;
    return createList(this.world, this.#as(as), board, { name, pos });
  }

  newCard(wanted: NewCard & { list?: List; as?: string } = {}): Card {
    const { list = this.lists()[0], as, ...card } = wanted;
    if (!list) throw new Error('The seeded board has no list left.');
    return createCard(this.world, this.#as(as), list, { name: `Card ${++made}`, ...card });
  }

  newLabel(wanted: { board?: Board; name?: string; color?: string | null; as?: string } = {}): Label {
    const { board = this.launch(), name = `Label ${++made}`, color = null, as } = wanted;
    return createLabel(this.world, this.#as(as), board, name, color);
  }

  newChecklist(card: Card, wanted: { name?: string; as?: string } = {}): Checklist {
    return addChecklist(this.world, this.#as(wanted.as), card, wanted.name === undefined ? {} : { name: wanted.name });
  }

  changeCard(card: Card, changes: CardChanges, as?: string): Card {
    return updateCard(this.world, this.#as(as), card, changes);
  }

  comment(card: Card, text: string, as?: string): Action {
    return commentOnCard(this.world, this.#as(as), card, text);
  }

  boards(): Board[] {
    return [...this.world.boards.values()];
  }

  lists(board: Board = this.launch()): readonly List[] {
    return this.world.listsIn(board.id);
  }

  labels(board: Board = this.launch()): Label[] {
    return board.idLabels.map((id) => this.world.labels.get(id)).filter((label) => label !== undefined);
  }

  card(id: string): Card | undefined {
    return this.world.cards.get(id);
  }

  /** Open cards of a list, from top to bottom. */
  cardsIn(idList: string): Card[] {
    return this.world.cardsIn(idList).filter(({ closed }) => !closed);
  }

  checklistsOn(card: Card): Checklist[] {
    return card.idChecklists.map((id) => this.world.checklists.get(id)).filter((one) => one !== undefined);
  }

  comments(idCard: string): string[] {
    return (this.world.actionsOf.get(idCard) ?? [])
      .filter(({ type }) => type === 'commentCard')
      .map(({ data }) => String(data['text']));
  }

  /** Every action in the order it was made, or those of one model. */
  actions(idModel?: string): readonly Action[] {
    return idModel === undefined ? [...this.world.actions.values()] : (this.world.actionsOf.get(idModel) ?? []);
  }

  notifications(who = 'ada'): readonly Notification[] {
    return this.world.notificationsOf.get(this.member(who).id) ?? [];
  }

  webhooks(): Webhook[] {
    return [...this.world.webhooks.values()];
  }
}
