import { ShieldCheck } from 'lucide-react';
import { memo, useDeferredValue, useEffect } from 'react';
import type { AuditRecord } from '../../../../client/src/index.ts';
import { useList } from '../../data/use-read.ts';
import { Listed } from '../../ui/listed.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { AuditFilters } from './audit-filters.tsx';
import { AuditRow } from './audit-row.tsx';
import { matching } from './audit-words.ts';
import { useTargetNames } from './use-target-names.ts';
import { toQuery, useWanted } from './use-wanted.ts';

/** Matches that are enough to look at before a person asks for more, and how far is looked for them. */
const enough = 20;
const far = 2_000;

/** The records of one answer: drawn once, and laid out when they come into view. */
const Rows = memo(({ records, names }: { records: readonly AuditRecord[]; names: ReadonlyMap<string, string> }) => (
  <ul className="divide-y divide-line [contain-intrinsic-size:auto_440rem] [content-visibility:auto]">
    {records.map((record) => (
      <AuditRow key={record.id} record={record} name={names.get(record.target ?? '')} />
    ))}
  </ul>
));

export const AuditPage = () => {
  const { wanted: chosen, set } = useWanted();
  const wanted = useDeferredValue(chosen.text.trim().toLowerCase());
  const names = useTargetNames();
  const query = toQuery(chosen);
  const list = useList('GET /v1/audit', { limit: 100, ...query });
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const answers = (data?.pages ?? []).map(({ items }) => matching(items, { wanted, names }));
  const shown = answers.reduce((sum, { length }) => sum + length, 0);
  const isSought = wanted !== '';
  const isFiltered = isSought || Object.keys(query).length > 0;
  const looksOn = isSought && shown < enough && list.items.length < far;
  useEffect(() => {
    if (looksOn && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [looksOn, hasNextPage, isFetchingNextPage, fetchNextPage]);
  return (
    <Page
      title="Audit"
      about="Who did what here, and every write to a service with its outcome. Records cannot be changed; they are kept as long as the settings say."
    >
      <AuditFilters wanted={chosen} set={set} />
      <Listed
        of={list}
        loading="Looking at the records"
        rows={6}
        isEmpty={shown === 0}
        empty={
          <Empty icon={ShieldCheck} title={isFiltered ? 'No record like this' : 'No record yet'}>
            <p>
              {(looksOn || !isSought) && hasNextPage
                ? 'Looking through older records …'
                : `${hasNextPage ? list.items.length.toLocaleString('en') : 'All'} records were looked through.`}
            </p>
          </Empty>
        }
      >
        <section aria-label="Records" className="card divide-y divide-line overflow-hidden">
          {answers.map((records, index) => records.length > 0 && <Rows key={index} records={records} names={names} />)}
        </section>
      </Listed>
    </Page>
  );
};
