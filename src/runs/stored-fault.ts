import { z } from 'zod';
import { Fault, type FaultDetails } from '#kit';
import type { StoredFault } from '#store';

/** How a failure is kept and told. */
export const FaultShape = z.object({
  code: z.string(),
  message: z.string(),
  details: z.unknown().optional(),
  retryAfterMs: z.number().optional(),
});

export const storedFault = ({ code, message, details, retryAfterMs }: Fault): StoredFault => ({
  code,
  message,
  ...(details === undefined ? {} : { details }),
  retryAfterMs,
});

/** A failure as it was told the first time, with what is to be known about it now. */
export const faultAgain = ({ code, message, details, retryAfterMs }: StoredFault, more: FaultDetails): Fault =>
  new Fault(code as Fault['code'], message, {
    details: { ...(details as FaultDetails | undefined), ...more },
    retryAfterMs,
  });

const passing = new Set(['rate_limited', 'upstream_unavailable', 'unavailable', 'reconnect_needed']);

/**
 * Whether a request that failed like this is carried out anew when it is repeated under its key: trying again is the advice,
 * and nothing was done before that would be done again.
 */
export const mayBeTriedAgain = ({ code, details }: StoredFault): boolean =>
  passing.has(code) && (details as FaultDetails | undefined)?.['done'] === undefined;
