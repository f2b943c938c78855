/** A day as the person sees it begins at their midnight. */
const midnight = (day: string, later = 0): string | undefined => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const at = new Date(year, month - 1, date + later);
  return day === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
};

/** Days from and to which a list goes, both of them in it, as the API takes them. */
export const momentsOf = ({ from = '', to = '' }: { from?: string | undefined; to?: string | undefined }) => ({
  from: midnight(from),
  to: midnight(to, 1),
});
