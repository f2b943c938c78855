import type { Control } from '../common/server.ts';
import { Tokens } from './identity/tokens.ts';
import type { Attachment, Body, EmailAddress, Header, Json, Mailbox, Message } from './mailbox.ts';
import type { Person, Tenant } from './people.ts';

/** A mail on its way. */
export type Mail = {
  from: EmailAddress;
  sender?: EmailAddress;
  to: EmailAddress[];
  cc?: EmailAddress[];
  bcc?: EmailAddress[];
  replyTo?: EmailAddress[];
  subject: string;
  body: Body;
  headers?: Header[];
  attachments?: Attachment[];
  importance?: Message['importance'];
  internetMessageId?: string;
  conversationId?: string;
  conversationIndex?: string;
  /** For meeting mails: `@odata.type` (`#microsoft.graph.eventMessageRequest`…) and its own properties. */
  meeting?: Json;
  /** Milliseconds; now if absent. */
  receivedAt?: number;
  /** Where a rule of the recipient files it: well-known name or folder id; the Inbox if absent. */
  folder?: string;
  /** Made by a machine (automatic reply, non-delivery report): never answered automatically. */
  automatic?: boolean;
};

export type OutboxItem = {
  id: string;
  from: string;
  to: string[];
  cc: string[];
  bcc: string[];
  subject: string;
  headers: Header[];
  sentAt: string;
  internetMessageId: string;
  body: Body;
  attachments: { name: string; size: number }[];
  automatic: boolean;
};

/** Something happened to an item; subscriptions listen. */
export type Change = {
  mailbox: Mailbox;
  kind: 'message' | 'event' | 'contact';
  change: 'created' | 'updated' | 'deleted';
  id: string;
  immutableId: string;
  etag: string;
  /** The folder or calendar it is in, for subscriptions to one folder. */
  folderId: string;
  /** As `$filter` sees it, now and before the change. */
  entity?: Json | undefined;
  before?: Json | undefined;
  /** One half of a move within the mailbox. */
  moved?: boolean;
};

export type Behaviour = {
  /** How long a sent mail stays out of Sent Items. */
  sentItemsLagMs: number;
  /** How long a new message cannot be found by `$search`. */
  searchLagMs: number;
  /** Refuse changes of subject, body, recipients… on mail that is no draft (enforced from 2026-12-31 on). */
  refuseSensitivePatch: boolean;
  /** A new message is announced as created and again as updated. */
  notificationNoise: boolean;
  /** Addresses of this domain without a mailbox get a non-delivery report. */
  domain: string;
};

export const everydayBehaviour: Behaviour = {
  sentItemsLagMs: 20,
  searchLagMs: 0,
  refuseSensitivePatch: true,
  notificationNoise: true,
  domain: 'sandbox.test',
};

/** All the sandbox knows about mail: who there is, their mailboxes, what left. */
export class World {
  readonly control: Control;
  readonly tokens: Tokens;
  tenants = new Map<string, Tenant>();
  people = new Map<string, Person>();
  /** By user id; shared mailboxes too. */
  mailboxes = new Map<string, Mailbox>();
  outbox: OutboxItem[] = [];
  /** Delta tokens of an earlier generation are gone; a reset or an order through control starts a new one. */
  generation = 1;
  behaviour: Behaviour = { ...everydayBehaviour };
  /** User ids with a subscription; for others nobody needs to hear of changes. */
  readonly watched = new Set<string>();
  #byAddress = new Map<string, Person>();
  #pending = new Set<() => void>();
  #listeners = new Set<(change: Change) => void>();
  #carrier: { send: (mail: Mail) => void; deliver: (mail: Mail) => Message[] } | undefined;

  constructor(control: Control) {
    this.control = control;
    this.tokens = new Tokens(control.clock);
  }

  now(): number {
    return this.control.clock.now();
  }

  addPerson(person: Person): void {
    this.people.set(person.id, person);
    this.#byAddress.set(person.address.toLowerCase(), person);
  }

  clearPeople(): void {
    this.people.clear();
    this.#byAddress.clear();
    this.mailboxes.clear();
    this.tenants.clear();
  }

  /** By user id, address or user principal name (the address serves as both). */
  person(idOrAddress: string): Person | undefined {
    return this.people.get(idOrAddress) ?? this.#byAddress.get(idOrAddress.toLowerCase());
  }

  mailboxOf(idOrAddress: string): Mailbox | undefined {
    const person = this.person(idOrAddress);
    return person === undefined ? undefined : this.mailboxes.get(person.id);
  }

  /** How mail travels; set once by the server. */
  carryWith(carrier: { send: (mail: Mail) => void; deliver: (mail: Mail) => Message[] }): void {
    this.#carrier = carrier;
  }

  /** A mail leaves a sandbox mailbox: it is in the outbox, then with its recipients or back as undeliverable. */
  send(mail: Mail): void {
    this.#carrier?.send(mail);
  }

  /** A mail from anywhere arrives with those recipients who have a mailbox here. */
  deliver(mail: Mail): Message[] {
    return this.#carrier?.deliver(mail) ?? [];
  }

  /** Does something once the sending lag has passed. */
  later(act: () => void): void {
    const lag = this.behaviour.sentItemsLagMs;
    if (lag === 0) return act();
    const once = () => {
      if (this.#pending.delete(once)) act();
    };
    this.#pending.add(once);
    this.control.clock.after(lag, once);
  }

  /** Finishes at once all that waits for the lag, so that a snapshot misses nothing. */
  settle(): void {
    while (this.#pending.size > 0) for (const act of this.#pending) act();
  }

  /** Forgets what waits. */
  abandon(): void {
    this.#pending.clear();
  }

  onChange(listener: (change: Change) => void): void {
    this.#listeners.add(listener);
  }

  /** Tells subscriptions that an item was created, updated or deleted. */
  announce(change: Change): void {
    if (!this.watched.has(change.mailbox.owner)) return;
    for (const listener of this.#listeners) listener(change);
  }
}
