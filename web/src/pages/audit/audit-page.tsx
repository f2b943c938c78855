import { useNavigate, useSearch } from '@tanstack/react-router';
import { ShieldCheck } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import type { AuditRecord } from '../../../../client/src/index.ts';
import { useList } from '../../data/use-read.ts';
import { More } from '../../ui/more.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Shown } from '../../ui/states.tsx';
import { AuditRow } from './audit-row.tsx';
import { kinds, sentenceOf } from './audit-words.ts';

type Search = { kind?: string; text?: string };

/** How many records are looked through for one page of matches before a person is asked to go on. */
const enough = 20;

const wordsOf = (record: AuditRecord): string =>
  `${record.actor.name} ${sentenceOf(record)} ${record.target} ${JSON.stringify(record.details)}`.toLowerCase();

export const AuditPage = () => {
  const { kind = '', text = '' } = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const list = useList('GET /v1/audit', { limit: 100 });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const wanted = text.trim().toLowerCase();
  const { data } = list;
  const shown = useMemo(
    () =>
      (data?.pages ?? [])
        .flatMap(({ items }) => items)
        .filter((record) => record.action.startsWith(kind) && (wanted === '' || wordsOf(record).includes(wanted))),
    [data, kind, wanted],
  );
  const isFiltered = kind !== '' || wanted !== '';
  const looksOn = isFiltered && shown.length < enough && list.items.length < 2_000;
  useEffect(() => {
    if (looksOn && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [looksOn, hasNextPage, isFetchingNextPage, fetchNextPage]);

  const go = (change: Search) => {
    const next = { kind, text, ...change };
    const search = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== ''));
    void navigate({ to: '/audit', search, replace: true, resetScroll: false });
  };

  return (
    <Page
      title="Audit"
      about="Who did what here, and every write to a service with its outcome. Records cannot be changed; they are kept as long as the settings say."
    >
      <search className="grid gap-3 sm:grid-cols-[14rem_minmax(0,1fr)]">
        <select className="field" aria-label="Kind" value={kind} onChange={(event) => go({ kind: event.target.value })}>
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
          onChange={(event) => go({ text: event.target.value })}
        />
      </search>
      <Shown of={list} loading="Looking at the records" rows={6}>
        {() =>
          shown.length === 0 ? (
            <Empty icon={ShieldCheck} title={isFiltered ? 'No record like this' : 'No record yet'}>
              <p>
                {looksOn && hasNextPage
                  ? 'Looking through older records …'
                  : `${list.items.length} records were looked through.`}
              </p>
            </Empty>
          ) : (
            <ul className="card divide-y divide-line overflow-hidden" aria-label="Records">
              {shown.map((record) => (
                <AuditRow key={record.id} record={record} />
              ))}
            </ul>
          )
        }
      </Shown>
      <More list={list} />
    </Page>
  );
};
