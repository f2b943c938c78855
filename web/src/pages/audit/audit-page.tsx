import { useNavigate, useSearch } from '@tanstack/react-router';
import { ShieldCheck } from 'lucide-react';
import { memo, useDeferredValue, useEffect, useState } from 'react';
import type { AuditRecord } from '../../../../client/src/index.ts';
import { useList } from '../../data/use-read.ts';
import { More } from '../../ui/more.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Shown } from '../../ui/states.tsx';
import { AuditRow } from './audit-row.tsx';
import { kinds, matching } from './audit-words.ts';

/** Matches that are enough to look at before a person asks for more, and how far is looked for them. */
const enough = 20;
const far = 2_000;
const pauseMs = 300;

/** The records of one answer: drawn once, and laid out when they come into view. */
const Rows = memo(({ records }: { records: readonly AuditRecord[] }) => (
  <ul className="divide-y divide-line [contain-intrinsic-size:auto_440rem] [content-visibility:auto]">
    {records.map((record) => (
      <AuditRow key={record.id} record={record} />
    ))}
  </ul>
));

/** What is looked for stands in the address, a moment after it was typed. */
const useWanted = () => {
  const search = useSearch({ strict: false }) as { kind?: string; text?: string };
  const navigate = useNavigate();
  const [kind, setKind] = useState(search.kind ?? '');
  const [text, setText] = useState(search.text ?? '');
  useEffect(() => {
    const timer = setTimeout(() => {
      const next = Object.fromEntries(Object.entries({ kind, text }).filter(([, value]) => value !== ''));
      void navigate({ to: '/audit', search: next, replace: true, resetScroll: false });
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [kind, text, navigate]);
  return { kind, text, setKind, setText };
};

export const AuditPage = () => {
  const { kind, text, setKind, setText } = useWanted();
  const wanted = useDeferredValue(text.trim().toLowerCase());
  const list = useList('GET /v1/audit', { limit: 100 });
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const answers = (data?.pages ?? []).map(({ items }) => matching(items, kind, wanted));
  const shown = answers.reduce((sum, { length }) => sum + length, 0);
  const isFiltered = kind !== '' || wanted !== '';
  const looksOn = isFiltered && shown < enough && list.items.length < far;
  useEffect(() => {
    if (looksOn && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [looksOn, hasNextPage, isFetchingNextPage, fetchNextPage]);
  return (
    <Page
      title="Audit"
      about="Who did what here, and every write to a service with its outcome. Records cannot be changed; they are kept as long as the settings say."
    >
      <search className="grid gap-3 sm:grid-cols-[14rem_minmax(0,1fr)]">
        <select className="field" aria-label="Kind" value={kind} onChange={(event) => setKind(event.target.value)}>
          {kinds.map(([start, words]) => (
            <option key={start} value={start}>
              {words}
            </option>
          ))}
        </select>
        <input
          className="field"
          type="search"
          aria-label="Search"
          placeholder="A name, an id or a word"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </search>
      <Shown of={list} loading="Looking at the records" rows={6}>
        {() =>
          shown === 0 ? (
            <Empty icon={ShieldCheck} title={isFiltered ? 'No record like this' : 'No record yet'}>
              <p>
                {looksOn && hasNextPage
                  ? 'Looking through older records …'
                  : `${list.items.length} records were looked through.`}
              </p>
            </Empty>
          ) : (
            <section aria-label="Records" className="card divide-y divide-line overflow-hidden">
              {answers.map((records, index) => records.length > 0 && <Rows key={index} records={records} />)}
            </section>
          )
        }
      </Shown>
      <More list={list} />
    </Page>
  );
};
