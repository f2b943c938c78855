import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { ChartTable } from './chart-table.tsx';
import { niceMost } from './nice-most.ts';
import type { Series, Span } from './series.ts';

const height = 190;
const frame = { top: 10, right: 4, bottom: 24, left: 34 };

const useWidth = () => {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(200, entry?.contentRect.width ?? 600)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { place, width };
};

const sum = (span: Span): number => Object.values(span.counts).reduce((total, count) => total + count, 0);

/** Counts over time, one stack for each span. Arrow keys walk through it; a table says the same. */
export const StackedBars = (props: {
  title: string;
  spans: Span[];
  series: Series[];
  nameOf: (at: string) => string;
}) => {
  const { title, spans, series, nameOf } = props;
  const { place, width } = useWidth();
  const [active, setActive] = useState<number>();
  const tipId = useId();
  const most = niceMost(Math.max(0, ...spans.map(sum)));
  const inner = { width: width - frame.left - frame.right, height: height - frame.top - frame.bottom };
  const step = inner.width / Math.max(1, spans.length);
  const bar = Math.max(2, Math.min(44, step * 0.7));
  const y = (count: number): number => frame.top + inner.height * (1 - count / most);
  const labelled = Math.max(1, Math.ceil(spans.length / Math.max(2, Math.floor(inner.width / 80))));
  const totals = series
    .map((each) => ({ ...each, total: spans.reduce((total, { counts }) => total + (counts[each.key] ?? 0), 0) }))
    .filter(({ total }, at) => total > 0 || at === 0);
  const shown = active === undefined ? undefined : spans[active];

  const walk = (event: KeyboardEvent) => {
    const move = { ArrowRight: 1, ArrowLeft: -1, Home: -spans.length, End: spans.length }[event.key];
    if (event.key === 'Escape') setActive(undefined);
    if (move === undefined || spans.length === 0) return;
    event.preventDefault();
    setActive(Math.min(Math.max((active ?? (move > 0 ? -1 : spans.length)) + move, 0), spans.length - 1));
  };

  return (
    <figure className="card grid grid-cols-[minmax(0,1fr)] content-start gap-3 p-4 sm:p-5">
      <figcaption className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h3 className="text-base">{title}</h3>
        <ul className="flex flex-wrap gap-x-3 gap-y-1 text-xs text-muted">
          {totals.map(({ key, label, fill, total }) => (
            <li key={key} className="flex items-center gap-1.5">
              <svg aria-hidden="true" className="size-2.5">
                <rect width="10" height="10" rx="2" className={fill} />
              </svg>
              {label} {total.toLocaleString('en')}
            </li>
          ))}
        </ul>
      </figcaption>
      <div
        ref={place}
        role="group"
        aria-label={`${title}. Arrow keys walk through the chart.`}
        aria-describedby={tipId}
        tabIndex={0}
        onKeyDown={walk}
        onBlur={() => setActive(undefined)}
        onMouseLeave={() => setActive(undefined)}
        className="relative rounded-lg"
      >
        <svg width={width} height={height} aria-hidden="true" className="block">
          {[0, most / 2, most].map((tick) => (
            <g key={tick}>
              <line x1={frame.left} x2={width - frame.right} y1={y(tick)} y2={y(tick)} className="stroke-line" />
              <text x={frame.left - 6} y={y(tick) + 4} textAnchor="end" className="fill-muted text-[11px]">
                {Number.isInteger(tick) ? tick.toLocaleString('en', { notation: 'compact' }) : ''}
              </text>
            </g>
          ))}
          {spans.map((span, at) => {
            const x = frame.left + step * (at + 0.5) - bar / 2;
            let below = 0;
            return (
              <g key={span.at} onMouseEnter={() => setActive(at)}>
                <rect
                  x={frame.left + step * at}
                  y={frame.top}
                  width={step}
                  height={inner.height}
                  className={active === at ? 'fill-hover' : 'fill-transparent'}
                />
                {series.map(({ key, fill }) => {
                  const count = span.counts[key] ?? 0;
                  const from = below;
                  below += count;
                  return count === 0 ? null : (
                    <rect
                      key={key}
                      x={x}
                      y={y(below)}
                      width={bar}
                      height={Math.max(1, y(from) - y(below))}
                      rx={1}
                      className={fill}
                    />
                  );
                })}
                {at % labelled === 0 && (
                  <text x={x + bar / 2} y={height - 6} textAnchor="middle" className="fill-muted text-[11px]">
                    {nameOf(span.at)}
                  </text>
                )}
              </g>
            );
          })}
        </svg>
        <div id={tipId} aria-live="polite">
          {shown !== undefined && active !== undefined && (
            <div
              className="pointer-events-none absolute top-0 z-10 grid room-36 gap-1 rounded-lg border border-line bg-raised px-3 py-2 text-xs shadow-lg"
              style={{ left: Math.min(Math.max(frame.left + step * (active + 0.5) - 72, 0), Math.max(0, width - 150)) }}
            >
              <p className="font-medium">{nameOf(shown.at)}</p>
              {sum(shown) === 0 && <p className="text-muted">Nothing</p>}
              {series.map(({ key, label }) =>
                (shown.counts[key] ?? 0) === 0 ? null : (
                  <p key={key} className="flex justify-between gap-4">
                    <span className="text-muted">{label}</span> {shown.counts[key]?.toLocaleString('en')}
                  </p>
                ),
              )}
            </div>
          )}
        </div>
      </div>
      <ChartTable title={title} spans={spans} series={series} nameOf={nameOf} />
    </figure>
  );
};
