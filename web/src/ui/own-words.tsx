import { Fragment, type ReactNode } from 'react';
import { exactTime } from './time.tsx';
import { VisibleText } from './visible-text.tsx';

const moments = /(\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z)/;

/** A sentence of Switchboard's own: the moments in it are told by the reader's clock, and what it quotes is shown as it is. */
export const OwnWords = ({ text }: { text: string }): ReactNode =>
  text.split(moments).map((part, at) => (
    <Fragment key={at}>
      {at % 2 === 0 || Number.isNaN(Date.parse(part)) ? (
        <VisibleText text={part} />
      ) : (
        <time dateTime={part} title={part}>
          {exactTime(part)}
        </time>
      )}
    </Fragment>
  ));
