import { Fault, type StepContext } from '#kit';

/** These concern the run as a whole: it waits, goes on elsewhere, or may not go on. What the service refuses does not. */
const whole = new Set<Fault['code']>(['unavailable', 'internal', 'forbidden', 'conflict']);
const ends = ({ code, details = {} }: Fault): boolean => whole.has(code) && !('upstream' in details);

/**
 * A further write, after the main thing was made: if it fails, the caller is told beside the output, since what was made
 * is there all the same.
 */
export const aside = async <T>(
  { warn }: Pick<StepContext, 'warn'>,
  what: string,
  act: () => Promise<T>,
): Promise<T | undefined> => {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Fault) || ends(error)) throw error;
    warn(`${what}${error.code === 'outcome_unknown' ? ', or perhaps it was' : ''}: ${error.message}`);
    return undefined;
  }
};

// The sentences are not promised: only what they have in common is used.
const already = /\balready\b|\bnot on the card\b/i;

/** For a write that adds or takes away one thing: whether it changed anything. The service refuses what is so already. */
export const changes = async (act: () => Promise<unknown>): Promise<boolean> => {
  try {
    await act();
    return true;
  } catch (error) {
    if (error instanceof Fault && error.code === 'upstream_rejected' && already.test(error.message)) return false;
    throw error;
  }
};
