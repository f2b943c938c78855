import { useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Approval, SwitchboardError } from '../../../../client/src/index.ts';
import { useKept } from '../../data/use-kept.ts';
import { refresh, useRead } from '../../data/use-read.ts';
import { useWrite } from '../../data/use-write.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Page } from '../../ui/page.tsx';
import { Shown } from '../../ui/shown.tsx';
import { Time } from '../../ui/time.tsx';
import { Unsaved } from '../../ui/unsaved.tsx';
import { Cause } from './cause.tsx';
import { DecisionBar } from './decision-bar.tsx';
import { EditConflict, EditTooLate, type KeptEdit } from './edit-conflict.tsx';
import { EditForm } from './edit-form.tsx';
import { Letter } from './letter.tsx';
import { ReasonTooLate, RejectDialog, useReason } from './reject-dialog.tsx';
import { usePast } from './use-past.ts';
import { useQueue } from './use-queue.ts';
import { useWhatWaits } from './use-what-waits.ts';
import { Changed, Edited, Verdict } from './verdict.tsx';

const touches = ['approvals', 'runs', 'overview'];

/** One approval as it is now, and as the person at the screen has seen it: only what was seen is ever approved. */
const Desk = ({ now }: { now: Approval }) => {
  const { id } = now;
  const queries = useQueryClient();
  const typed = useKept<KeptEdit>(`approval ${id}`);
  const [seen, setSeen] = useState(typed.value?.of ?? now);
  const [editing, setEditing] = useState(typed.value !== undefined);
  const [edited, setEdited] = useState(false);
  const [isBack, setIsBack] = useState(false);
  const reason = useReason(id);
  const [refusal, setRefusal] = useState<SwitchboardError>();
  const top = useRef<HTMLDivElement>(null);
  const isOver = usePast(now.expiresAt);

  const isPending = now.status === 'pending' && !isOver;
  const approve = useWrite('POST /v1/approvals/{id}/approve', { quiet: true });
  const edit = useWrite('POST /v1/approvals/{id}/edit', { quiet: true });
  // While our own change is under way, another digest is no surprise.
  const isChanged = isPending && now.digest !== seen.digest && !edit.isPending;
  const shown = isPending ? seen : now;
  const mine = typed.value;

  const keep = (approval: Approval) => {
    queries.setQueryData(['GET /v1/approvals/{id}', { params: { id } }], approval);
    setSeen(approval);
    setRefusal(undefined);
    void refresh(queries, touches);
  };
  const look = () => queries.invalidateQueries({ queryKey: ['GET /v1/approvals/{id}', { params: { id } }] });
  // Somebody else was faster, or it was changed: then the page shows that instead of the decision and its refusal.
  const refused = async (error: SwitchboardError) => {
    if (error.status === 409) await look();
    setRefusal(error);
  };
  const showNow = () => {
    setSeen(now);
    setRefusal(undefined);
    setEdited(false);
    setEditing(false);
  };
  const decideFor = () => {
    setRefusal(undefined);
    approve.mutate(
      { params: { id }, body: { digest: seen.digest } },
      {
        onSuccess: (approval) => {
          reason.forget();
          keep(approval);
        },
        onError: (error) => void refused(error),
      },
    );
  };

  // What just changed is at the top, and so is the focus: no key that was meant for the old page decides.
  const state = `${isPending} ${isChanged} ${edited} ${seen.digest}`;
  const first = useRef(state);
  useEffect(() => {
    if (first.current === state) return;
    first.current = state;
    top.current?.focus();
    top.current?.scrollIntoView({ block: 'center' });
  }, [state]);

  return (
    // A bar that sticks needs a column to stick in; in a grid it would have its own row only.
    <div className="flex flex-col gap-6">
      <div ref={top} tabIndex={-1} role="status" className="outline-none empty:hidden">
        {!isPending && <Verdict approval={now} isOver={isOver} />}
        {isChanged && mine === undefined && <Changed onShow={showNow} />}
        {isChanged && mine !== undefined && (
          <EditConflict
            edit={mine}
            now={now}
            onMine={(moved) => {
              typed.keep(moved);
              edit.reset();
              setSeen(now);
            }}
            onTheirs={() => {
              typed.forget();
              showNow();
            }}
          />
        )}
        {isPending && !isChanged && edited && <Edited />}
      </div>
      {!isPending && mine !== undefined && <EditTooLate edit={mine} onDrop={typed.forget} />}
      {!isPending && <ReasonTooLate reason={reason} />}
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 xl:grid-cols-[minmax(0,1fr)_20rem]">
        {editing && isPending && !isChanged ? (
          <EditForm
            approval={seen}
            error={edit.error}
            busy={edit.isPending}
            typed={mine?.texts ?? {}}
            onType={(texts) => typed.keep({ of: seen, texts })}
            onLeave={() => {
              typed.forget();
              setEditing(false);
              setIsBack(true);
            }}
            onSave={(changes) =>
              edit.mutate(
                { params: { id }, body: { changes, digest: seen.digest } },
                {
                  onSuccess: (approval) => {
                    typed.forget();
                    keep(approval);
                    setEditing(false);
                    setIsBack(false);
                    setEdited(true);
                  },
                  onError: (error) => void (error.status === 409 && refused(error)),
                },
              )
            }
          />
        ) : (
          <div className={isChanged ? 'opacity-50' : ''}>
            <Letter key={shown.digest} approval={shown} />
          </div>
        )}
        <Cause approval={now} />
      </div>
      {isPending && !isChanged && !editing && (
        <DecisionBar
          approval={seen}
          busy={approve.isPending}
          refusal={refusal}
          onApprove={decideFor}
          isBack={isBack}
          onEdit={() => setEditing(true)}
          onReject={() => reason.show(true)}
        />
      )}
      <Unsaved isChanged={editing && isPending && mine !== undefined} onLeave={typed.forget} />
      <RejectDialog
        id={id}
        reason={reason}
        isPending={isPending}
        isChanged={isChanged}
        onRejected={(approval) => {
          reason.forget();
          keep(approval);
        }}
        onRefused={(error) => {
          reason.show(false);
          void refused(error);
        }}
      />
    </div>
  );
};

export const ApprovalPage = () => {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const query = useRead('GET /v1/approvals/{id}', { params: { id } });
  // Only runs' own keys are answered less.
  const approval = query.data as Approval | undefined;
  const whatWaits = useWhatWaits();
  const { narrowed, order } = useQueue();
  return (
    <Page
      title="Approval"
      which={approval && whatWaits(approval)}
      about={
        approval === undefined ? undefined : (
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <StateBadge state={approval.status} />
            <span>
              asked <Time at={approval.createdAt} />
            </span>
            {approval.status === 'pending' && (
              <span>
                expires <Time at={approval.expiresAt} />
              </span>
            )}
          </span>
        )
      }
      actions={
        <Link to="/approvals" search={{ ...narrowed, ...order }} className="button button-quiet max-sm:hidden">
          <ArrowLeft aria-hidden="true" className="size-4" />
          All approvals
        </Link>
      }
    >
      <Shown of={query} loading="Looking at what waits">
        {(found) => <Desk key={found.id} now={found as Approval} />}
      </Shown>
    </Page>
  );
};
