import { z } from 'zod';

const duration = /^P(?=\d|T\d)(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?=\d)(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,7})S)?)?$/;
const words = /^(\d{1,4}) ?(min(?:ute)?|h(?:our)?|d(?:ay)?|w(?:eek)?)s?$/i;

const minutes = { w: 7 * 24 * 60, d: 24 * 60, h: 60, m: 1, s: 1 / 60 };

/** How long before: PT0S, PT15M, PT1H, P1D or P1W, or in words such as "15 minutes", "2 h" and "1 week". */
export const LeadTime = z
  .string()
  .trim()
  .regex(
    new RegExp(`${duration.source}|${words.source}`, 'i'),
    'must be an ISO 8601 duration such as PT15M, PT1H, P1D or P1W, or words such as "15 minutes" or "1 week"',
  )
  .refine((given) => milliseconds(given) <= 366 * minutes.d * 60_000, 'must be a year at most');

export const milliseconds = (leadTime: string): number => {
  const [, amount, unit] = words.exec(leadTime) ?? [];
  if (unit !== undefined)
    return Number(amount) * minutes[unit.charAt(0).toLowerCase() as keyof typeof minutes] * 60_000;
  const [, ...parts] = duration.exec(leadTime.toUpperCase()) ?? [];
  return Object.values(minutes).reduce((sum, each, at) => sum + Number(parts[at] ?? 0) * each, 0) * 60_000;
};
