import { GitMerge, TextQuote } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Approval } from '../../../../client/src/index.ts';
import { useRead } from '../../data/use-read.ts';
import { Unread } from '../../ui/unread.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { type EditField, fieldsOf, labelOfField, toDraft } from './edit-fields.ts';
import { Changed, Panel } from './verdict.tsx';

/** What somebody typed into an approval, field by field, and the approval it was typed into. */
export type KeptEdit = { of: Approval; texts: Record<string, string> };

const useStep = ({ stepId }: Approval) => useRead('GET /v1/steps/{id}', { params: { id: stepId } });

/** What the fields mean could not be read: they can be edited as they were given. */
export const StepUnread = ({ approval }: { approval: Approval }) => <Unread of={useStep(approval)} />;

/** The fields of an approval that may be edited; nothing while it is not known what they mean. */
export const useEditFields = (approval: Approval): EditField[] | undefined => {
  const { input } = approval;
  const step = useStep(approval);
  return step.isPending ? undefined : fieldsOf(input, step.data?.input);
};

const Text = ({ whose, text }: { whose: string; text: string }) => (
  <div className="grid min-w-0 content-start gap-1">
    <dt className="text-xs text-muted">{whose}</dt>
    <dd className="max-h-48 overflow-y-auto rounded-lg bg-page p-2 whitespace-pre-wrap">
      {text === '' ? <span className="text-muted">empty</span> : <VisibleText text={text} />}
    </dd>
  </div>
);

/** The fields whose text is another than it was. */
const useTyped = ({ of, texts }: KeptEdit): EditField[] =>
  (useEditFields(of) ?? []).filter((field) => (texts[field.name] ?? toDraft(field)) !== toDraft(field));

/** Each field that was typed into, beside what it is now. */
const Compared = ({ edit, typed, now }: { edit: KeptEdit; typed: readonly EditField[]; now?: Approval }) => {
  const after = new Map((useEditFields(now ?? edit.of) ?? []).map((field) => [field.name, toDraft(field)]));
  return (
    <ul aria-label="What you typed" className="grid gap-3">
      {typed.map((field) => {
        const theirs = after.get(field.name) ?? '';
        return (
          <li key={field.name} className="grid gap-1.5">
            <p className="font-medium">
              {labelOfField(field.name)}
              {theirs !== toDraft(field) && <span className="font-normal text-warn"> (changed by both)</span>}
            </p>
            <dl className="grid gap-2 sm:grid-cols-2">
              <Text whose="Yours" text={edit.texts[field.name] ?? ''} />
              {now !== undefined && <Text whose="As it is now" text={theirs} />}
            </dl>
          </li>
        );
      })}
    </ul>
  );
};

const Heading = ({ icon, children }: { icon: ReactNode; children: ReactNode }) => (
  <p className="flex items-center gap-2 text-base font-semibold text-warn">
    {icon}
    {children}
  </p>
);

/** Somebody changed the approval into which this person was typing: both are shown, and either may go on. */
export const EditConflict = (props: {
  edit: KeptEdit;
  now: Approval;
  onMine: (edit: KeptEdit) => void;
  onTheirs: () => void;
}) => {
  const { edit, now, onMine, onTheirs } = props;
  const typed = useTyped(edit);
  if (typed.length === 0) return <Changed onShow={onTheirs} />;
  const texts = Object.fromEntries(typed.map(({ name }) => [name, edit.texts[name] ?? '']));
  return (
    <Panel tone="warn">
      <Heading icon={<GitMerge aria-hidden="true" className="size-5 shrink-0" />}>
        This was changed while you were editing it
      </Heading>
      <p>Somebody saved other changes. What you typed is kept, and nothing was sent.</p>
      <Compared edit={edit} typed={typed} now={now} />
      <div className="flex flex-wrap gap-2">
        <button type="button" className="button button-main" onClick={() => onMine({ of: now, texts })}>
          Put my changes into the new one
        </button>
        <button type="button" className="button button-quiet" onClick={onTheirs}>
          Drop mine, show what it is now
        </button>
      </div>
    </Panel>
  );
};

/** It was decided, or expired, while this person was typing: too late for the text, but it can be copied. */
export const EditTooLate = ({ edit, onDrop }: { edit: KeptEdit; onDrop: () => void }) => {
  const typed = useTyped(edit);
  if (typed.length === 0) return null;
  return (
    <Panel tone="warn">
      <Heading icon={<TextQuote aria-hidden="true" className="size-5 shrink-0" />}>
        What you were typing is not part of this
      </Heading>
      <p>It ended before you saved. Your text is still here, so that you can copy it.</p>
      <Compared edit={edit} typed={typed} />
      <button type="button" className="button button-quiet justify-self-start" onClick={onDrop}>
        Throw it away
      </button>
    </Panel>
  );
};
