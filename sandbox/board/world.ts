import type { SandboxClock } from '../common/clock.ts';
import { Ids } from './ids.ts';
import type {
  Action,
  App,
  AuthorizationCode,
  Board,
  Card,
  Checklist,
  Grant,
  Label,
  List,
  Member,
  Notification,
  OAuthClient,
  Organization,
  Token,
  Webhook,
} from './model.ts';
import { insertByPos } from './positions.ts';

/** Everything the board service remembers, as plain data. */
export type WorldSnapshot = {
  ids: { second: number; counter: number };
  members: Member[];
  organizations: Organization[];
  boards: Board[];
  lists: List[];
  cards: Card[];
  labels: Label[];
  checklists: Checklist[];
  actions: Action[];
  notifications: Notification[];
  apps: App[];
  clients: OAuthClient[];
  tokens: Token[];
  grants: Grant[];
  codes: AuthorizationCode[];
  webhooks: Webhook[];
  files: { id: string; base64: string }[];
};

type Listener = (action: Action, clientIdentifier: string | undefined) => void;

const push = <T>(index: Map<string, T[]>, key: string, value: T): void => {
  const there = index.get(key);
  if (there) there.push(value);
  else index.set(key, [value]);
};

const none: readonly never[] = [];

/** The state in memory, with the indexes that keep reading fast. */
export class World {
  readonly clock: SandboxClock;
  /** Where people reach this server; part of every url it hands out. */
  baseUrl = 'http://127.0.0.1:4611';
  ids = new Ids();
  members = new Map<string, Member>();
  organizations = new Map<string, Organization>();
  boards = new Map<string, Board>();
  lists = new Map<string, List>();
  cards = new Map<string, Card>();
  labels = new Map<string, Label>();
  checklists = new Map<string, Checklist>();
  actions = new Map<string, Action>();
  notifications = new Map<string, Notification>();
  apps = new Map<string, App>();
  clients = new Map<string, OAuthClient>();
  tokens = new Map<string, Token>();
  grants = new Map<string, Grant>();
  codes = new Map<string, AuthorizationCode>();
  webhooks = new Map<string, Webhook>();
  files = new Map<string, Uint8Array>();

  byShortLink = new Map<string, Board | Card>();
  byUsername = new Map<string, Member>();
  listsOf = new Map<string, List[]>();
  cardsOf = new Map<string, Card[]>();
  actionsOf = new Map<string, Action[]>();
  notificationsOf = new Map<string, Notification[]>();
  webhooksOf = new Map<string, Webhook[]>();
  tokensById = new Map<string, Token>();

  onAction: Listener = () => {};
  /** Goes up with every change, so that a state file is written only when needed. */
  revision = 0;
  /** Object limits are not enforced while the rate limits are off. */
  limitsOff = false;
  /** Set while the seed is made, so that its ids and dates are the same after every reset. */
  seedTime: number | null = null;

  constructor(clock: SandboxClock) {
    this.clock = clock;
  }

  now(): number {
    return this.seedTime ?? this.clock.now();
  }

  #said = { time: Number.NaN, text: '' };

  date(): string {
    const time = this.now();
    if (time !== this.#said.time) this.#said = { time, text: new Date(time).toISOString() };
    return this.#said.text;
  }

  id(): string {
    this.revision += 1;
    return this.ids.next(this.now());
  }

  idAndShortLink(): { id: string; shortLink: string } {
    for (;;) {
      const id = this.id();
      const shortLink = this.ids.shortLink();
      if (!this.byShortLink.has(shortLink)) return { id, shortLink };
    }
  }

  listsIn(idBoard: string): readonly List[] {
    return this.listsOf.get(idBoard) ?? none;
  }

  cardsIn(idList: string): readonly Card[] {
    return this.cardsOf.get(idList) ?? none;
  }

  addMember(member: Member): void {
    this.members.set(member.id, member);
    this.byUsername.set(member.username, member);
  }

  addBoard(board: Board): void {
    this.boards.set(board.id, board);
    this.byShortLink.set(board.shortLink, board);
    if (!this.listsOf.has(board.id)) this.listsOf.set(board.id, []);
  }

  addList(list: List): void {
    this.lists.set(list.id, list);
    const siblings = this.listsOf.get(list.idBoard) ?? [];
    this.listsOf.set(list.idBoard, siblings);
    insertByPos(siblings, list);
    if (!this.cardsOf.has(list.id)) this.cardsOf.set(list.id, []);
  }

  addCard(card: Card): void {
    this.cards.set(card.id, card);
    this.byShortLink.set(card.shortLink, card);
    const siblings = this.cardsOf.get(card.idList) ?? [];
    this.cardsOf.set(card.idList, siblings);
    insertByPos(siblings, card);
  }

  addAction(action: Action): void {
    this.actions.set(action.id, action);
    if (action.deleted) return;
    for (const model of World.modelsOf(action)) push(this.actionsOf, model, action);
  }

  /** Takes an action out of all feeds; that it happened remains known. */
  dropAction(action: Action): void {
    action.deleted = true;
    for (const model of World.modelsOf(action)) {
      const feed = this.actionsOf.get(model) ?? [];
      const at = feed.indexOf(action);
      if (at >= 0) feed.splice(at, 1);
    }
  }

  addNotification(notification: Notification): void {
    this.notifications.set(notification.id, notification);
    push(this.notificationsOf, notification.idMember, notification);
  }

  addToken(token: Token): void {
    this.tokens.set(token.value, token);
    this.tokensById.set(token.id, token);
    this.revision += 1;
  }

  removeToken(token: Token): void {
    this.tokens.delete(token.value);
    this.tokensById.delete(token.id);
    this.revision += 1;
  }

  addWebhook(webhook: Webhook): void {
    this.webhooks.set(webhook.id, webhook);
    push(this.webhooksOf, webhook.idModel, webhook);
  }

  removeWebhook(webhook: Webhook): void {
    this.webhooks.delete(webhook.id);
    const left = (this.webhooksOf.get(webhook.idModel) ?? []).filter((other) => other !== webhook);
    this.webhooksOf.set(webhook.idModel, left);
    this.revision += 1;
  }

  /** Every model whose feed and webhooks carry the action. */
  static modelsOf({ idLists, idBoard, idCard, idMemberCreator, idMember, idOrganization }: Action): string[] {
    const models: string[] = [...idLists];
    for (const id of [idBoard, idCard, idMemberCreator, idMember, idOrganization])
      if (id !== null && !models.includes(id)) models.push(id);
    return models;
  }

  clear(): void {
    this.ids = new Ids();
    for (const value of Object.values(this)) if (value instanceof Map) value.clear();
    this.revision += 1;
  }

  snapshot(): WorldSnapshot {
    const all = <T>(map: Map<string, T>): T[] => [...map.values()];
    return structuredClone({
      ids: { second: this.ids.second, counter: this.ids.counter },
      members: all(this.members),
      organizations: all(this.organizations),
      boards: all(this.boards),
      lists: all(this.lists),
      cards: all(this.cards),
      labels: all(this.labels),
      checklists: all(this.checklists),
      actions: all(this.actions),
      notifications: all(this.notifications),
      apps: all(this.apps),
      clients: all(this.clients),
      tokens: all(this.tokens),
      grants: all(this.grants),
      codes: all(this.codes),
      webhooks: all(this.webhooks),
      files: [...this.files].map(([id, bytes]) => ({ id, base64: Buffer.from(bytes).toString('base64') })),
    });
  }

  restore(snapshot: WorldSnapshot): void {
    const from = structuredClone(snapshot);
    this.clear();
    Object.assign(this.ids, from.ids);
    for (const member of from.members) this.addMember(member);
    for (const organization of from.organizations) this.organizations.set(organization.id, organization);
    for (const board of from.boards) this.addBoard(board);
    for (const list of from.lists) this.addList(list);
    for (const card of from.cards) this.addCard(card);
    for (const label of from.labels) this.labels.set(label.id, label);
    for (const checklist of from.checklists) this.checklists.set(checklist.id, checklist);
    for (const action of from.actions) this.addAction(action);
    for (const notification of from.notifications) this.addNotification(notification);
    for (const app of from.apps) this.apps.set(app.key, app);
    for (const client of from.clients) this.clients.set(client.id, client);
    for (const token of from.tokens) this.addToken(token);
    for (const grant of from.grants) this.grants.set(grant.id, grant);
    for (const code of from.codes) this.codes.set(code.code, code);
    for (const webhook of from.webhooks) this.addWebhook(webhook);
    for (const { id, base64 } of from.files) this.files.set(id, Buffer.from(base64, 'base64'));
  }
}
