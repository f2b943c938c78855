import type { Begun, StepContext } from '#kit';

/* What an interrupted run was about: by now it may be called otherwise, lie elsewhere, or have a double by that run itself. */

type Context = Pick<StepContext, 'begun'>;

/** The card that it wrote to. */
export const cardBegun = ({ begun = [] }: Context): string | undefined =>
  begun.flatMap(({ path }) => /^\/1\/cards\/([0-9a-f]{24})(?:\/|$)/.exec(path)?.[1] ?? [])[0];

/** What it sent there. */
export const sentBefore = (
  { begun = [] }: Context,
  to: Pick<Begun, 'method' | 'path'>,
): Readonly<Record<string, unknown>> | undefined =>
  begun.find(({ method, path }) => method === to.method && path === to.path)?.body as Record<string, unknown>;

/** An id that it sent there. */
export const idSent = (context: Context, path: Begun['path'], field: string): string | undefined => {
  const id = sentBefore(context, { method: 'POST', path })?.[field];
  return typeof id === 'string' ? id : undefined;
};
