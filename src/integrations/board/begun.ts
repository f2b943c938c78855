import type { Begun, FindContext, StepContext } from '#kit';
import { look } from './looks/index.ts';

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

/** Whether it has written anything, as far as that can be told before it is written once more. */
export const hasWritten = async (context: StepContext): Promise<boolean> => {
  const { begun = [] } = context;
  const [first] = begun;
  if (first === undefined || begun.some(({ isDone }) => isDone)) return first !== undefined;
  const verdict = await look({ ...context, request: first, since: first.since } satisfies FindContext);
  return verdict === 'unclear' || verdict.made.length > 0;
};
