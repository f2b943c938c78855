import type { Diagnosis } from '../../../../../client/src/index.ts';
import { withoutUnseen } from '../../../ui/visible-text.tsx';

const looks: Record<string, { bar: string; words: string }> = {
  fired: { bar: 'h-10 bg-good', words: 'fired' },
  filtered: { bar: 'h-4 bg-edge', words: 'filtered' },
  skipped: { bar: 'h-4 bg-warn', words: 'skipped' },
  failed: { bar: 'h-7 bg-bad', words: 'failed' },
};

const counted = (recent: Diagnosis['recent']): [string, number][] =>
  Object.keys(looks)
    .map((outcome): [string, number] => [outcome, recent.filter((each) => each.outcome === outcome).length])
    .filter(([, count]) => count > 0);

/** The last twenty occurrences as bars, oldest first: tall ones started the agent. */
export const OutcomeStrip = ({ recent }: { recent: Diagnosis['recent'] }) => {
  const counts = counted(recent);
  const said = counts.map(([outcome, count]) => `${count} ${looks[outcome]?.words ?? outcome}`).join(', ');
  return (
    <figure className="grid gap-2">
      <div role="img" aria-label={`The last ${recent.length}: ${said}`} className="flex h-10 items-end gap-1">
        {recent.toReversed().map(({ id, outcome, summary }) => (
          <span
            key={id}
            title={withoutUnseen(`${outcome}: ${summary}`)}
            className={`max-w-4 flex-1 rounded-sm ${looks[outcome]?.bar ?? 'h-4 bg-edge'}`}
          />
        ))}
      </div>
      <figcaption aria-hidden="true" className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
        {counts.map(([outcome, count]) => (
          <span key={outcome} className="inline-flex items-center gap-1.5">
            <span className={`w-2 rounded-sm ${looks[outcome]?.bar.replace(/h-\d+/, 'h-2') ?? ''}`} />
            {count} {looks[outcome]?.words}
          </span>
        ))}
        <span className="ml-auto">oldest to newest</span>
      </figcaption>
    </figure>
  );
};
