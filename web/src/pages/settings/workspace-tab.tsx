import { useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { api } from '../../data/api.ts';
import { useSession, useStartAnew } from '../../data/session.tsx';
import { useWrite } from '../../data/use-write.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { fieldErrors, otherError } from '../../ui/field-errors.ts';
import { formText } from '../../ui/form-text.ts';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { useAskFirst } from '../../ui/unsaved.tsx';
import { useTyped } from '../../ui/use-typed.ts';
import { DeleteWorkspace } from './delete-workspace.tsx';

const NewWorkspace = ({ askFirst }: { askFirst: (act: () => void) => void }) => {
  const startAnew = useStartAnew();
  const navigate = useNavigate();
  const make = useWrite('POST /v1/workspaces', { quiet: true });
  const lookAt = async (workspaceId: string) => {
    await api.call('PATCH /v1/session', { body: { workspaceId } });
    await startAnew();
    // Where its first steps are.
    await navigate({ to: '/', ignoreBlocker: true });
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = formText(new FormData(event.currentTarget), 'name');
    askFirst(() =>
      make.mutate(
        { body: { name } },
        {
          onSuccess: ({ id }) => void lookAt(id),
        },
      ),
    );
  };
  return (
    <form onSubmit={submit} className="grid gap-4 text-sm">
      <p className="text-muted">
        A workspace has its own members, accounts, tools, agents and history; nothing is shared between two. You become
        its owner and look at it next.
      </p>
      <Field label="Name" error={fieldErrors(make.error)['name']}>
        <input className="field" name="name" required maxLength={200} autoComplete="off" />
      </Field>
      <p role="alert" className="text-bad empty:hidden">
        {otherError(make.error, ['name'])}
      </p>
      <button type="submit" className="button button-main justify-self-end" disabled={make.isPending}>
        Make the workspace
      </button>
    </form>
  );
};

export const WorkspaceTab = () => {
  const { workspace, may } = useSession();
  const [making, setMaking] = useState(false);
  const { askFirst, question } = useAskFirst();
  const rename = useWrite('PATCH /v1/workspace', {
    refresh: ['session', 'workspace', 'workspaces'],
    done: 'Renamed.',
    quiet: true,
  });
  const name = useTyped(workspace.name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rename.mutate({ body: { name: name.value.trim() } }, { onSuccess: name.forget });
  };
  return (
    <>
      <Section
        title="Workspace"
        actions={
          may('owner') && (
            <button type="button" className="button button-quiet" onClick={() => setMaking(true)}>
              <Plus aria-hidden="true" className="size-4" />
              New workspace
            </button>
          )
        }
      >
        <form onSubmit={submit} className="card grid max-w-lg gap-4 p-5">
          <Field label="Name" error={fieldErrors(rename.error)['name']}>
            <input
              className="field"
              required
              maxLength={200}
              disabled={!may('owner')}
              value={name.value}
              onChange={(event) => name.set(event.target.value)}
            />
          </Field>
          <p className="text-xs text-muted">
            <code className="font-mono">{workspace.id}</code> · made <Time at={workspace.createdAt} />
          </p>
          <p role="alert" className="text-sm text-bad empty:hidden">
            {otherError(rename.error, ['name'])}
          </p>
          {may('owner') && (
            <button type="submit" className="button button-main justify-self-start" disabled={rename.isPending}>
              Rename
            </button>
          )}
        </form>
        <Dialog title="New workspace" open={making} onClose={() => setMaking(false)}>
          <NewWorkspace askFirst={askFirst} />
        </Dialog>
        {question}
      </Section>
      {may('owner') && <DeleteWorkspace />}
    </>
  );
};
