import type { Run } from '../../../../client/src/index.ts';
import { Entry } from './timeline-entry.tsx';

const goingOn = ({ status, waiting }: Run): string => {
  if (status === 'running') return 'It goes on …';
  return waiting === undefined ? 'It waits for its turn …' : 'It waits for a service …';
};

/** The journal of a run, entry by entry, with how long each took beside the others. */
export const Timeline = ({ run }: { run: Run }) => {
  const { journal, status } = run;
  const longest = Math.max(1, ...journal.map(({ data }) => (typeof data['ms'] === 'number' ? data['ms'] : 0)));
  const goesOn = status === 'running' || status === 'queued';
  if (journal.length === 0) {
    return (
      <p className="card p-4 text-sm text-muted">
        {goesOn
          ? run.waiting === undefined
            ? 'It has not begun yet.'
            : 'Nothing came of it yet.'
          : 'Nothing is written down any more: journals are kept as long as the settings say.'}
      </p>
    );
  }
  return (
    <ol aria-label="Journal" aria-busy={goesOn} className="card divide-y divide-line overflow-hidden">
      {journal.map((entry) => (
        <Entry
          key={entry.seq}
          entry={entry}
          begun={run.createdAt}
          longest={longest}
          isLast={entry === journal.at(-1)}
        />
      ))}
      {goesOn && (
        <li className="flex items-center gap-3 px-4 py-3 text-sm text-muted">
          <span aria-hidden="true" className="size-2 animate-pulse rounded-full bg-info" />
          {goingOn(run)}
        </li>
      )}
    </ol>
  );
};
