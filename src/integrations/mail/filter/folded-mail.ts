import { whereTo } from './addresses.ts';
import { foldText } from './fold-text.ts';
import type { Level, Role } from './tree.ts';

export type Person = { name: string; address: string };

/** What a filter can ask of a mail. */
export type FilterMail = {
  subject: string;
  body: string;
  from: Person[];
  to: Person[];
  cc: Person[];
  bcc: Person[];
  hasAttachments: boolean;
  attachmentNames: string[];
  receivedAt: Date;
  sentAt?: Date;
  importance: Level;
  categories: string[];
  size?: number;
  isRead: boolean;
};

/** People of one role: their names and addresses as one text, a line each, and their addresses and domains. */
export type People = { text: string; addresses: readonly string[]; domains: readonly string[] };

const foldPeople = (people: readonly Person[]): People => {
  const places = people.map(({ address }) => whereTo(address.trim()));
  return {
    text: people.map(({ name, address }) => `${foldText(name)}\n${foldText(address)}`).join('\n'),
    addresses: places.map(({ address }) => address),
    domains: places.map(({ domain }) => domain),
  };
};

const membersOf = {
  from: ['from'],
  to: ['to'],
  cc: ['cc'],
  bcc: ['bcc'],
  recipients: ['to', 'cc', 'bcc'],
  participants: ['from', 'to', 'cc', 'bcc'],
} as const satisfies Record<Role, readonly Role[]>;

/** A mail as filters compare it. Each part is folded when the first filter asks for it, once for all filters. */
export class FoldedMail {
  readonly #mail: FilterMail;
  readonly #people = new Map<Role, People>();
  #subject: string | undefined;
  #body: string | undefined;
  #attachmentNames: readonly string[] | undefined;
  #categories: readonly string[] | undefined;

  constructor(mail: FilterMail) {
    this.#mail = mail;
  }

  get subject(): string {
    this.#subject ??= foldText(this.#mail.subject);
    return this.#subject;
  }

  get body(): string {
    this.#body ??= foldText(this.#mail.body);
    return this.#body;
  }

  get attachmentNames(): readonly string[] {
    this.#attachmentNames ??= this.#mail.attachmentNames.map(foldText);
    return this.#attachmentNames;
  }

  get categories(): readonly string[] {
    this.#categories ??= this.#mail.categories.map(foldText);
    return this.#categories;
  }

  people(role: Role): People {
    const known = this.#people.get(role);
    if (known !== undefined) return known;
    const folded = foldPeople(membersOf[role].flatMap((member) => this.#mail[member]));
    this.#people.set(role, folded);
    return folded;
  }

  get received(): number {
    return this.#mail.receivedAt.getTime();
  }

  get sent(): number | undefined {
    return this.#mail.sentAt?.getTime();
  }

  get size(): number | undefined {
    return this.#mail.size;
  }

  get importance(): Level {
    return this.#mail.importance;
  }

  get hasAttachments(): boolean {
    return this.#mail.hasAttachments;
  }

  get isRead(): boolean {
    return this.#mail.isRead;
  }
}

export const fold = (mail: FilterMail): FoldedMail => new FoldedMail(mail);
