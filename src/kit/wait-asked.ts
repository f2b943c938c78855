const longestMs = 24 * 3_600_000;

/**
 * For how long an answer asks for patience: its `Retry-After`, in seconds or as a date. A date counts from the moment the
 * answer names as its own, so that nobody's clock matters.
 */
export const waitAsked = (answered: { retryAfter: unknown; date: unknown }): number | undefined => {
  const { retryAfter, date } = answered;
  if (typeof retryAfter !== 'string' || retryAfter.trim() === '') return undefined;
  const seconds = Number(retryAfter);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(retryAfter) - Date.parse(String(date));
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), longestMs);
};
