export type Series = { name: string; points: readonly { x: number; y: number }[] };

const [width, height, left, bottom, top, right] = [640, 280, 64, 40, 34, 16];
// Told apart by shape, too, for those who do not see the difference in colour.
const looks = [
  { colour: '#3d38d6', dash: '' },
  { colour: '#b45309', dash: '6 3' },
  { colour: '#0f766e', dash: '2 3' },
];

const short = (value: number): string => {
  if (value >= 1e6) return `${value / 1e6} M`;
  return value >= 1e3 ? `${value / 1e3} k` : String(Math.round(value * 100) / 100);
};

/** The next of 1, 2, 5, 10, 20, … */
const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
};

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** A picture of a few lines; `x` by powers of ten where `logarithmic`. Every point has its value as a title. */
export const lineChart = (options: { title: string; x: string; logarithmic?: boolean; series: readonly Series[] }) => {
  const { title, x: name, logarithmic = false, series } = options;
  const scale = (x: number): number => (logarithmic ? Math.log10(x) : x);
  const all = series.flatMap(({ points }) => points);
  const [from, to] = [Math.min(...all.map(({ x }) => scale(x))), Math.max(...all.map(({ x }) => scale(x)))];
  const most = roundUp(Math.max(...all.map(({ y }) => y), 1e-9));
  const placeX = (x: number): number => left + ((scale(x) - from) / (to - from || 1)) * (width - left - right);
  const placeY = (y: number): number => height - bottom - (y / most) * (height - bottom - top);
  const at = ({ x, y }: { x: number; y: number }): string => `${placeX(x).toFixed(1)},${placeY(y).toFixed(1)}`;
  const ruled = [0, 0.5, 1].map((share) => {
    const y = placeY(share * most);
    return `<path d="M${left} ${y}H${width - right}" stroke="#8883"/><text x="${left - 8}" y="${y + 4}" text-anchor="end">${short(share * most)}</text>`;
  });
  const marks = [...new Set(all.map(({ x }) => x))].map(
    (x) => `<text x="${placeX(x).toFixed(1)}" y="${height - bottom + 18}" text-anchor="middle">${short(x)}</text>`,
  );
  const lines = series.map(({ name: line, points }, nth) => {
    const { colour = '', dash = '' } = looks[nth % looks.length] ?? {};
    const dots = points.map((point) => {
      const [cx, cy] = at(point).split(',');
      return `<circle cx="${cx}" cy="${cy}" r="3.5" fill="${colour}"><title>${escape(line)}: ${short(point.y)}</title></circle>`;
    });
    const label = `<text x="${left + nth * 190}" y="${top - 14}" fill="${colour}">${dash === '' ? '━' : '┅'} ${escape(line)}</text>`;
    const way = `<polyline points="${points.map(at).join(' ')}" fill="none" stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"/>`;
    return way + dots.join('') + label;
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(title)}" ` +
    `font-family="sans-serif" font-size="12" fill="#888"><title>${escape(title)}</title>${ruled.join('')}` +
    `${(marks.length <= 8 ? marks : [marks[0], marks.at(-1)]).join('')}<text x="${(left + width - right) / 2}" y="${height - 6}" ` +
    `text-anchor="middle">${escape(name)}</text>${lines.join('')}</svg>\n`
  );
};
