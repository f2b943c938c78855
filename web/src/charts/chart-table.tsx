import type { Series, Span } from './series.ts';

/** What a chart shows, as a table. */
export const ChartTable = (props: {
  title: string;
  spans: Span[];
  series: Series[];
  nameOf: (at: string) => string;
}) => {
  const { title, spans, series, nameOf } = props;
  return (
    <details className="text-xs">
      <summary className="min-h-8 cursor-pointer py-1.5 text-muted">As a table</summary>
      <div role="region" aria-label={`${title}, as a table`} tabIndex={0} className="max-h-72 overflow-auto">
        <table className="w-full text-right tabular-nums">
          <thead>
            <tr className="text-muted">
              <th scope="col" className="py-1 pr-4 text-left font-medium">
                From
              </th>
              {series.map(({ key, label }) => (
                <th key={key} scope="col" className="px-2 py-1 font-medium">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {spans.map(({ at, counts }) => (
              <tr key={at} className="border-t border-line">
                <th scope="row" className="py-1 pr-4 text-left font-normal whitespace-nowrap">
                  {nameOf(at)}
                </th>
                {series.map(({ key }) => (
                  <td key={key} className="px-2 py-1">
                    {(counts[key] ?? 0).toLocaleString('en')}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
};
