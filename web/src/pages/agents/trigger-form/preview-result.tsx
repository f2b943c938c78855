import { CircleCheck, CircleMinus } from 'lucide-react';
import type { Preview } from '../../../../../client/src/index.ts';
import { OwnWords } from '../../../ui/own-words.tsx';
import { Time } from '../../../ui/time.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { useSettingWords } from '../setting-words.ts';

type Item = Preview['items'][number];

const useWhyNot = (): ((item: Item) => string) => {
  const settingWords = useSettingWords();
  return ({ outcome, clause, reason }) =>
    outcome === 'filtered' ? `did not fit: ${settingWords(clause ?? 'the settings')}` : (reason ?? 'skipped');
};

const Row = ({ item }: { item: Item }) => {
  const isFired = item.outcome === 'fired';
  const whyNot = useWhyNot();
  const Icon = isFired ? CircleCheck : CircleMinus;
  return (
    <li className="flex gap-2.5 py-1.5 text-sm">
      <Icon aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${isFired ? 'text-good' : 'text-muted'}`} />
      <div className="grid min-w-0 flex-1 gap-0.5">
        <p className={isFired ? '' : 'text-muted'}>
          <VisibleText text={item.summary} />
        </p>
        {!isFired && (
          <p className="text-xs text-warn">
            <OwnWords text={whyNot(item)} />
          </p>
        )}
      </div>
      <span className="text-xs text-muted">
        <Time at={item.occurredAt} />
      </span>
    </li>
  );
};

const Group = ({ title, items }: { title: string; items: Item[] }) =>
  items.length === 0 ? null : (
    <section aria-label={title} className="grid gap-1">
      <h4 className="text-sm font-medium">{title}</h4>
      <ul className="divide-y divide-line">
        {items.map((item) => (
          <Row key={`${item.upstreamId} ${item.occurredAt}`} item={item} />
        ))}
      </ul>
    </section>
  );

/** What a configuration would have done with recent history, and for the rest what stood against it. */
export const PreviewResult = ({ preview: { items, others, note } }: { preview: Preview }) => {
  const fired = items.filter(({ outcome }) => outcome === 'fired');
  const rest = items.filter(({ outcome }) => outcome !== 'fired');
  return (
    <div role="status" className="grid max-h-96 gap-4 overflow-y-auto rounded-lg border border-line p-4">
      {note !== undefined && <p className="text-sm text-muted">{note}</p>}
      {items.length === 0 && note === undefined && (
        <p className="text-sm text-muted">Nothing of this kind happened lately, so there is nothing to try it on.</p>
      )}
      {items.length > 0 && fired.length === 0 && (
        <p className="text-sm font-medium text-warn">Would not have fired for anything that happened lately.</p>
      )}
      <Group
        title={`Would have fired for ${fired.length === 1 ? 'this one' : `these ${fired.length}`}`}
        items={fired}
      />
      <Group title={`Not for ${rest.length === 1 ? 'this one' : `these ${rest.length}`}`} items={rest} />
      {others > 0 && (
        <p className="text-xs text-muted">
          {others === 1 ? 'One other change was' : `${others} other changes were`} seen that this trigger does not wait
          for.
        </p>
      )}
    </div>
  );
};
