import type { ReactNode } from 'react';
import { More } from './more.tsx';
import { Shown } from './shown.tsx';

type List = Parameters<typeof More>[0]['list'] & Parameters<typeof Shown>[0]['of'] & { items: readonly unknown[] };

/** A list, page after page; where nothing is in it, what that means. */
export const Listed = (props: {
  of: List;
  loading: string;
  rows?: number;
  /** Where only a part of what was loaded is shown. */
  isEmpty?: boolean;
  empty: ReactNode;
  children: ReactNode;
}) => {
  const { of: list, loading, rows, isEmpty = list.items.length === 0, empty, children } = props;
  return (
    <>
      <Shown of={list} loading={loading} {...(rows === undefined ? {} : { rows })}>
        {() => (isEmpty ? empty : children)}
      </Shown>
      <More list={list} />
    </>
  );
};
