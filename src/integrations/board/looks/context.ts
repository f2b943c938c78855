import type { FindContext, Verdict } from '#kit';

/** One write as a look sees it: the ids in its path, and its parameters wherever they were sent. */
export type Write = { ids: readonly string[]; sent: Readonly<Record<string, unknown>> };

export type Look = (write: Write, context: FindContext) => Promise<Verdict>;

/**
 * Something that is as this write wanted it. Any number of writes may want the same, so each claims it under a name of
 * its own: the id is already claimed by whatever made the thing.
 */
export const held = ({ request, mark }: FindContext, body: object): Verdict => {
  const { method, path, query, body: sent } = request;
  return { made: [{ ...body, foundFor: `${mark(0)} ${method} ${path} ${JSON.stringify([query, sent])}` }] };
};

export const nothing: Verdict = { made: [] };
