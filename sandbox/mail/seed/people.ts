import { createMailbox } from '../create-mailbox.ts';
import { consumerTenantId, type Person, type Tenant } from '../people.ts';
import type { World } from '../world.ts';

const workTenant: Tenant = {
  id: '5b9e1c52-7d3a-4f60-9c1e-2a6f0d8b4e11',
  name: 'Sandbox Ltd',
  domain: 'sandbox.test',
  kind: 'work',
};
const consumers: Tenant = { id: consumerTenantId, name: 'Personal accounts', domain: 'sandbox.test', kind: 'personal' };

const person = (id: string, address: string, name: string, more: Partial<Person> = {}): Person => {
  const [givenName = name, surname = ''] = name.split(' ');
  return {
    id,
    address,
    displayName: name,
    givenName,
    surname,
    jobTitle: null,
    password: 'sandbox',
    kind: 'work',
    tenantId: workTenant.id,
    ...more,
  };
};

export const ada = person('a11ce000-0000-4000-8000-000000000001', 'ada@sandbox.test', 'Ada Marsh', {
  jobTitle: 'Head of Operations',
});
const ben = person('b0b00000-0000-4000-8000-000000000002', 'ben@sandbox.test', 'Ben Okafor', {
  jobTitle: 'Account Manager',
});
const cy = person('00000000-0000-0000-c7c7-000000000003', 'cy@sandbox.test', 'Cy Lindqvist', {
  kind: 'personal',
  tenantId: consumerTenantId,
});
/** Nobody signs in to a shared mailbox. */
const team = person('7ea00000-0000-4000-8000-000000000004', 'team@sandbox.test', 'Sandbox Team', { password: '' });

export const addAccount = (world: World, who: Person, purpose: 'user' | 'shared' = 'user'): void => {
  world.addPerson(who);
  world.mailboxes.set(who.id, createMailbox(who.id, world.now(), purpose));
};

export const seedPeople = (world: World): void => {
  for (const tenant of [workTenant, consumers]) world.tenants.set(tenant.id, tenant);
  for (const who of [ada, ben, cy]) addAccount(world, who);
  addAccount(world, team, 'shared');
  world.mailboxes.get(team.id)?.delegates.set(ada.id, { fullAccess: true, sendAs: true });
};

/** Further accounts, `count` of them named after their number. */
export const seedAccounts = (world: World, count: number): string[] => {
  const first = world.people.size + 1;
  return Array.from({ length: count }, (_, at) => {
    const number = first + at;
    const id = `acc00000-0000-4000-8000-${String(number).padStart(12, '0')}`;
    const address = `user${number}@sandbox.test`;
    addAccount(world, person(id, address, `User ${number}`));
    return address;
  });
};
