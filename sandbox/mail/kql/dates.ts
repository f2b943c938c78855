/** The span of time a KQL date means, in milliseconds, `to` excluded; undefined for what is no date. Days are UTC. */
export type Span = { from: number; to: number };

const day = 86_400_000;
const usDate = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;
const isoDate = /^\d{4}-\d{2}-\d{2}$/;

const startOfDay = (at: number): number => Math.floor(at / day) * day;
const monthOf = (year: number, month: number): Span => ({
  from: Date.UTC(year, month, 1),
  to: Date.UTC(year, month + 1, 1),
});
const yearOf = (year: number): Span => ({ from: Date.UTC(year, 0, 1), to: Date.UTC(year + 1, 0, 1) });

const interval = (name: string, now: number): Span | undefined => {
  const today = startOfDay(now);
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  switch (name) {
    case 'today':
      return { from: today, to: today + day };
    case 'yesterday':
      return { from: today - day, to: today };
    case 'this week': {
      const sunday = today - date.getUTCDay() * day;
      return { from: sunday, to: sunday + 7 * day };
    }
    case 'this month':
      return monthOf(year, month);
    case 'last month':
      return monthOf(year, month - 1);
    case 'this year':
      return yearOf(year);
    case 'last year':
      return yearOf(year - 1);
    default:
      return undefined;
  }
};

export const spanOf = (text: string, now: number): Span | undefined => {
  const named = interval(text.toLowerCase(), now);
  if (named !== undefined) return named;
  const us = usDate.exec(text);
  const iso = us === null ? text : `${us[3]}-${us[1]?.padStart(2, '0')}-${us[2]?.padStart(2, '0')}`;
  if (isoDate.test(iso)) {
    const from = Date.parse(`${iso}T00:00:00Z`);
    return Number.isNaN(from) ? undefined : { from, to: from + day };
  }
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(iso)) return undefined;
  const from = Date.parse(/(Z|[+-]\d{2}:?\d{2})$/i.test(iso) ? iso : `${iso}Z`);
  return Number.isNaN(from) ? undefined : { from, to: from + 1000 };
};
