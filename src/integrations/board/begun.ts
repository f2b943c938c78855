import type { Begun, StepContext } from '#kit';

/* What an interrupted run was about: by now it may be called otherwise, lie elsewhere, or have a double by that run itself. */

type Context = Pick<StepContext, 'begun'>;

/** The card that it wrote to. */
export const cardBegun = ({ begun = [] }: Context): string | undefined =>
  begun.flatMap(({ path }) => /^\/1\/cards\/([0-9a-f]{24})(?:\/|$)/.exec(path)?.[1] ?? [])[0];

/** An id that it sent there. */
export const idSent = ({ begun = [] }: Context, place: Begun['path'], field: string): string | undefined => {
  const sent = begun.find(({ method, path }) => method === 'POST' && path === place);
  const id = (sent?.body as Readonly<Record<string, unknown>> | undefined)?.[field];
  return typeof id === 'string' ? id : undefined;
};
