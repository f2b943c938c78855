import { actorOf, anonymous, type Caller } from './identify.ts';
import { isId } from './ids.ts';
import type { Input } from './input.ts';
import type {
  Action,
  Actor,
  Board,
  Card,
  Checklist,
  Label,
  List,
  Member,
  Organization,
  Token,
  Webhook,
} from './model.ts';
import { may, type Need } from './permission.ts';
import { notFound, unauthorized } from './refusal.ts';
import type { Fields, Viewer } from './views/fields.ts';
import { parseFields } from './views/fields.ts';
import type { World } from './world.ts';

/** One request to the API, past syntax, credentials and limits. Finding a thing also checks the right to it. */
export class Call {
  readonly world: World;
  readonly caller: Caller;
  readonly params: Record<string, string>;
  readonly input: Input;
  readonly clientIdentifier: string | undefined;

  constructor(
    world: World,
    caller: Caller,
    params: Record<string, string>,
    input: Input,
    clientIdentifier: string | undefined,
  ) {
    this.world = world;
    this.caller = caller;
    this.params = params;
    this.input = input;
    this.clientIdentifier = clientIdentifier;
  }

  /** The same request with other parameters. */
  with(input: Input): Call {
    return new Call(this.world, this.caller, this.params, input, this.clientIdentifier);
  }

  get actor(): Actor {
    return actorOf(this.caller, this.clientIdentifier);
  }

  get viewer(): Viewer {
    const email =
      this.caller.token?.scopes.some((scope) => scope === 'account' || scope === 'read:member:trello') ?? false;
    return { world: this.world, idMember: this.caller.member?.id ?? null, email };
  }

  fields(otherwise: Fields, name = 'fields'): Fields {
    return parseFields(this.input.raw(name), otherwise);
  }

  may(board: Board, need: Need): boolean {
    return may(this.world, this.caller.member, board, need);
  }

  #allowed(idBoard: string, need: Need): Board {
    const board = this.world.boards.get(idBoard);
    if (!board) throw notFound();
    if (this.may(board, need)) return board;
    throw this.caller.member ? unauthorized() : anonymous(this.caller);
  }

  /** Without credentials nothing is said about what exists. */
  #missing(): Error {
    return this.caller.member ? notFound() : anonymous(this.caller);
  }

  board(need: Need = 'read', id: string = this.params['board'] ?? ''): Board {
    const found = isId(id) ? this.world.boards.get(id.toLowerCase()) : this.world.byShortLink.get(id);
    if (!found || 'idList' in found) throw this.#missing();
    return this.#allowed(found.id, need);
  }

  card(need: Need = 'read', id: string = this.params['card'] ?? ''): Card {
    const found = isId(id) ? this.world.cards.get(id.toLowerCase()) : this.world.byShortLink.get(id);
    if (!found || !('idList' in found)) throw this.#missing();
    this.#allowed(found.idBoard, need);
    return found;
  }

  list(need: Need = 'read', id: string = this.params['idList'] ?? ''): List {
    return this.#find(this.world.lists, id, need);
  }

  label(need: Need = 'read', id: string = this.params['idLabel'] ?? ''): Label {
    return this.#find(this.world.labels, id, need);
  }

  checklist(need: Need = 'read', id: string = this.params['idChecklist'] ?? ''): Checklist {
    return this.#find(this.world.checklists, id, need);
  }

  #find<T extends { idBoard: string }>(things: Map<string, T>, id: string, need: Need): T {
    const found = things.get(id.toLowerCase());
    if (!found) throw this.#missing();
    this.#allowed(found.idBoard, need);
    return found;
  }

  action(id: string = this.params['idAction'] ?? ''): Action {
    const found = this.world.actions.get(id.toLowerCase());
    if (!found || found.deleted) throw this.#missing();
    if (found.idBoard !== null) this.#allowed(found.idBoard, 'read');
    else if (!this.caller.member) throw anonymous(this.caller);
    return found;
  }

  /** A member by id, username or `me`. */
  memberAt(id: string = this.params['member'] ?? ''): Member {
    if (!this.caller.member) throw anonymous(this.caller);
    if (id === 'me') return this.caller.member;
    const found = this.world.members.get(id.toLowerCase()) ?? this.world.byUsername.get(id);
    if (!found) throw notFound();
    return found;
  }

  /** The caller; things of other members are not shown. */
  self(): Member {
    const member = this.memberAt();
    if (member !== this.caller.member) throw unauthorized('unauthorized member permission requested');
    return member;
  }

  organization(need: 'read' | 'admin' = 'read', id: string = this.params['organization'] ?? ''): Organization {
    if (!this.caller.member) throw anonymous(this.caller);
    const { member } = this.caller;
    const byName = () => [...this.world.organizations.values()].find(({ name }) => name === id);
    const found = this.world.organizations.get(id.toLowerCase()) ?? byName();
    if (!found) throw notFound();
    const membership = found.memberships.find(({ idMember }) => idMember === member.id);
    const open = found.prefs['permissionLevel'] === 'public' && need === 'read';
    if (open || (membership && (need === 'read' || membership.memberType === 'admin'))) return found;
    throw unauthorized('unauthorized organization permission requested');
  }

  token(value: string = this.params['token'] ?? ''): Token {
    if (!this.caller.token) throw anonymous(this.caller);
    const found = this.world.tokens.get(value);
    if (!found) throw unauthorized('invalid token');
    if (found.idOwner !== this.caller.token.idOwner) throw unauthorized();
    return found;
  }

  webhook(id: string = this.params['idWebhook'] ?? ''): Webhook {
    if (!this.caller.token) throw anonymous(this.caller);
    const found = this.world.webhooks.get(id.toLowerCase());
    if (!found) throw notFound();
    if (found.idOwner !== this.caller.token.idOwner) throw unauthorized('webhook does not belong to token');
    return found;
  }
}
