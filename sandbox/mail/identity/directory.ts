import type { World } from '../world.ts';
import type { TokenSubject, Tokens } from './tokens.ts';

/** What the identity platform needs to know of the world: its time, its credentials and who lives in it. */
export type Directory = {
  clock: { now(): number };
  tokens: Tokens;
  /** Those who can sign in; nobody signs in to a shared mailbox. */
  people(): TokenSubject[];
  /** By id or address. */
  find(user: string): TokenSubject | undefined;
  passwordIs(userId: string, password: string): boolean;
};

export const subjectOf = (world: World, user: string): TokenSubject | undefined => {
  const person = world.person(user.trim());
  if (person === undefined || person.password === '') return undefined;
  return {
    userId: person.id,
    username: person.address,
    displayName: person.displayName,
    tenantId: person.tenantId,
    personal: person.kind === 'personal',
  };
};

export const directoryOf = (world: World): Directory => ({
  clock: world.control.clock,
  tokens: world.tokens,
  people: () => [...world.people.keys()].flatMap((id) => subjectOf(world, id) ?? []),
  find: (user) => subjectOf(world, user),
  passwordIs: (userId, password) => world.people.get(userId)?.password === password,
});
