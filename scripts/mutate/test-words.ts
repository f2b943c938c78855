/** What a test file says, for tests that run in this very process and stop at the first that fails. */

type Body = (...given: never[]) => unknown;
type Hooks = { before: Body[]; after: Body[] };
export type Collected = { name: string; run: () => Promise<void> };

let collected: Collected[] = [];
let path: { name: string; hooks: Hooks }[] = [];

/** Forgets what was collected, and answers it. */
export const takeCollected = (): Collected[] => {
  const taken = collected;
  collected = [];
  path = [{ name: '', hooks: { before: [], after: [] } }];
  return taken;
};
takeCollected();

const called = (body: Body, given: readonly unknown[] = []): unknown => body(...(given as never[]));

const add = (name: string, body: Body, given: readonly unknown[] = []): void => {
  const around = path.map(({ hooks }) => hooks);
  const run = async () => {
    for (const { before } of around) for (const hook of before) await called(hook);
    try {
      await called(body, given);
    } finally {
      for (const { after } of around) for (const hook of after) await called(hook);
    }
  };
  collected.push({ name: [...path.map((each) => each.name), name].filter(Boolean).join(' > '), run });
};

const within = (name: string, body: Body, given: readonly unknown[] = []): void => {
  path.push({ name, hooks: { before: [], after: [] } });
  called(body, given);
  path.pop();
};

type Words = {
  (name: string, ...rest: unknown[]): void;
  each: (table: readonly unknown[]) => (name: string, body: Body) => void;
};

const words = (say: typeof add): Words => {
  const plain = (name: string, ...rest: unknown[]) =>
    say(name, rest.find((each) => typeof each === 'function') as Body);
  const each = (table: readonly unknown[]) => (name: string, body: Body) =>
    table.forEach((row, at) => say(`${name} #${at}`, body, Array.isArray(row) ? row : [row]));
  return Object.assign(plain, { each });
};

export const test = words(add);
export const describe = words(within);
export const beforeEach = (hook: Body): void => void path.at(-1)?.hooks.before.push(hook);
export const afterEach = (hook: Body): void => void path.at(-1)?.hooks.after.unshift(hook);
export { expect } from 'vitest';
