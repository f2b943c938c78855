import { Link, useLocation } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { useOtherWorkspaces } from '../data/session.tsx';
import { Empty } from './states.tsx';
import { useToast } from './toast.tsx';
import { VisibleText } from './visible-text.tsx';

/** The list that a page belongs to, by how its address begins. */
const useList = (): { to: string; words: string } => {
  const [, list = ''] = useLocation().pathname.split('/');
  return list === '' ? { to: '/', words: 'To the overview' } : { to: `/${list}`, words: `All ${list}` };
};

export const isGone = (error: unknown): boolean => (error as { status?: unknown } | null)?.status === 404;

/** Links, such as those in mails to approvers, do not say of which workspace they speak. */
const LookElsewhere = () => {
  const { others, change } = useOtherWorkspaces();
  const { say } = useToast();
  return others.map(({ id, name }) => (
    <button
      key={id}
      type="button"
      className="button button-quiet max-w-full"
      onClick={() => void change(id).catch((error: Error) => say(error.message, 'bad'))}
    >
      <span className="truncate">
        Look in <VisibleText text={name} />
      </span>
    </button>
  ));
};

/** What was asked for does not exist: asking once more would not help, its list or another workspace may. */
export const Gone = ({ message }: { message: string }) => {
  const { to, words } = useList();
  return (
    <Empty icon={Compass} title={message}>
      <p>It may have been deleted, be older than what is kept, or belong to another workspace.</p>
      <div className="flex max-w-full flex-wrap justify-center gap-2">
        <Link to={to} className="button button-main">
          {words}
        </Link>
        <LookElsewhere />
      </div>
    </Empty>
  );
};

/** It existed when the page was opened; what is on the screen stays readable. */
export const GoneMeanwhile = () => {
  const { to, words } = useList();
  return (
    <p
      role="alert"
      className="flex flex-wrap items-center justify-between gap-3 rounded-xl border border-warn/40 bg-warn-soft p-4 text-sm text-warn"
    >
      This does not exist any more. Below is how it was.
      <Link to={to} className="button button-quiet">
        {words}
      </Link>
    </p>
  );
};
