import { Fault } from '#kit';
import { storageFault } from '#store';

/**
 * How long to leave alone what was stopped by ourselves: by storage that is away, the emergency stop, or our own limits.
 * These say nothing about what was to be read, and use up no try. `undefined`: it was something else.
 */
export const ownObstacleMs = (error: unknown): number | undefined => {
  const fault = error instanceof Fault ? error : storageFault(error);
  const isOwn = fault?.code === 'unavailable' || fault?.details?.['own'] === true;
  return isOwn ? (fault?.retryAfterMs ?? 0) : undefined;
};
