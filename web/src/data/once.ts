import { SwitchboardError } from '../../../client/src/index.ts';

/** What would be made, started or counted a second time. Not what changes something back and forth: that is meant anew each time. */
const makes = new Set([
  'POST /v1/tools',
  'PATCH /v1/tools/{id}',
  'POST /v1/tools/{id}/run',
  'POST /v1/agents',
  'PATCH /v1/agents/{id}',
  'POST /v1/agents/{id}/runs',
  'POST /v1/triggers',
  'POST /v1/triggers/{id}/test',
  'POST /v1/events/{id}/replay',
  'POST /v1/runs/{id}/retry',
  'POST /v1/webhooks',
  'POST /v1/api-keys',
]);

/** Whether nobody here knows yet what came of it: its answer was lost, storage was by then, or it is still being handled. */
const isOpen = ({ status, retryAfterMs, details }: SwitchboardError): boolean =>
  status === 0 || details?.['inDoubt'] === true || (status === 409 && retryAfterMs !== undefined);

const unanswered = () =>
  new SwitchboardError(0, {
    code: 'unreachable',
    message:
      'The server does not answer, so nobody knows yet whether this was done. Try again in this window: it is not done twice.',
  });

type Given = { idempotencyKey?: string };

// `crypto.randomUUID` is not there on pages that came without TLS.
const newKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-');

// Who comes back later means it anew.
const againMs = 10 * 60_000;

/** Whoever presses a button again because no answer came is answered from the first time, instead of having it done twice. */
export const once = (now = () => performance.now()) => {
  const open = new Map<string, { key: string; at: number }>();
  return async <T>(route: string, given: object, call: (given: Given) => Promise<T>): Promise<T> => {
    if (!makes.has(route)) return call(given);
    const { signal: _, ...asked } = given as { signal?: AbortSignal };
    const place = JSON.stringify([route, asked]);
    const before = open.get(place);
    const idempotencyKey = before !== undefined && now() - before.at < againMs ? before.key : newKey();
    open.delete(place);
    try {
      return await call({ ...given, idempotencyKey });
    } catch (error) {
      if (isOpen(error as SwitchboardError)) open.set(place, { key: idempotencyKey, at: now() });
      throw (error as SwitchboardError).status === 0 ? unanswered() : error;
    }
  };
};
