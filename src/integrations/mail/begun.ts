import type { Begun, StepContext } from '#kit';

type Context = Pick<StepContext, 'begun'>;

/**
 * The event or contact that an interrupted run wrote to: by now it may have another name, and the occurrence by which a
 * series was named may be gone.
 */
export const idBegun = ({ begun = [] }: Context, kind: 'events' | 'contacts'): string | undefined => {
  const [id] = begun.flatMap(({ path }) => new RegExp(`/${kind}/([^/]+)`).exec(path)?.[1] ?? []);
  return id === undefined ? undefined : decodeURIComponent(id);
};

/** What it sent by that method. */
export const sentBefore = ({ begun = [] }: Context, by: Begun['method']): Record<string, unknown>[] =>
  begun.filter(({ method }) => method === by).map(({ body }) => body as Record<string, unknown>);
