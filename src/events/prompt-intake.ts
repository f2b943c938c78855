import type { Clock } from '#clock';
import { Fault } from '#kit';
import type { Intake } from './intake.ts';

/** Services give up on us soon, and then slow down all they have to tell. */
const patienceMs = 1_800;

/**
 * Whichever door a notification came by: storing goes on, but the service is told to come again: its second notification finds what the first has
 * stored.
 */
export const answeredInTime =
  (intake: Intake, clock: Clock): Intake =>
  (integration, token, notification) => {
    const { promise, reject } = Promise.withResolvers<never>();
    const late = () => reject(new Fault('unavailable', 'Storage takes too long; come again.', { retryAfterMs: 1_000 }));
    const callOff = clock.after(patienceMs, late);
    return Promise.race([intake(integration, token, notification), promise]).finally(callOff);
  };
