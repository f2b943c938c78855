import type { Subscription } from './changes/subscription.ts';
import type { Subscriptions } from './changes/subscriptions.ts';
import type { TokensSnapshot } from './identity/tokens.ts';
import type { Mailbox } from './mailbox.ts';
import type { Person, Tenant } from './people.ts';
import type { Behaviour, OutboxItem, World } from './world.ts';

export type MailSnapshot = {
  tenants: Tenant[];
  people: Person[];
  mailboxes: Mailbox[];
  outbox: OutboxItem[];
  behaviour: Behaviour;
  generation: number;
  tokens: TokensSnapshot;
  subscriptions: Subscription[];
};

/** Everything but the clock and the faults. Mail on its way is delivered first. */
export const takeSnapshot = (world: World, subscriptions: Subscriptions): MailSnapshot => {
  world.settle();
  return structuredClone({
    tenants: [...world.tenants.values()],
    people: [...world.people.values()],
    mailboxes: [...world.mailboxes.values()],
    outbox: world.outbox,
    behaviour: world.behaviour,
    generation: world.generation,
    tokens: world.tokens.snapshot(),
    subscriptions: subscriptions.snapshot(),
  });
};

export const restoreSnapshot = (world: World, subscriptions: Subscriptions, snapshot: MailSnapshot): void => {
  const {
    tenants,
    people,
    mailboxes,
    outbox,
    behaviour,
    generation,
    tokens,
    subscriptions: kept,
  } = structuredClone(snapshot);
  world.abandon();
  world.clearPeople();
  for (const tenant of tenants) world.tenants.set(tenant.id, tenant);
  for (const person of people) world.addPerson(person);
  for (const mailbox of mailboxes) world.mailboxes.set(mailbox.owner, mailbox);
  world.outbox = outbox;
  world.behaviour = behaviour;
  world.generation = generation;
  world.tokens.restore(tokens);
  subscriptions.restore(kept);
};
