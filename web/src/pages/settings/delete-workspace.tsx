import { useNavigate } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useSession, useStartAnew } from '../../data/session.tsx';
import { useWrite } from '../../data/use-write.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { otherError } from '../../ui/field-errors.ts';
import { Section } from '../../ui/page.tsx';

const Farewell = () => {
  const { workspace } = useSession();
  const startAnew = useStartAnew();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const remove = useWrite('DELETE /v1/workspaces/{id}', { quiet: true, done: `“${workspace.name}” is deleted.` });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    remove.mutate(
      { params: { id: workspace.id } },
      { onSuccess: () => void navigate({ to: '/', ignoreBlocker: true }).then(() => startAnew()) },
    );
  };
  return (
    <form onSubmit={submit} className="grid gap-4 text-sm">
      <div className="grid gap-2 text-muted">
        <p>
          At once nobody comes in any more, and nothing is started or sent; what waits for a person is never sent. Its
          accounts are disconnected at the services. Then its agents, tools, runs, events, files and audit records are
          removed.
        </p>
        <p>There is no way back, and no copy.</p>
      </div>
      <Field label={`Type “${workspace.name}” to confirm`}>
        <input
          className="field"
          required
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </Field>
      <p role="alert" className="text-bad empty:hidden">
        {otherError(remove.error, [])}
      </p>
      <button
        type="submit"
        className="button button-bad justify-self-end"
        disabled={remove.isPending || typed.trim() !== workspace.name.trim()}
        aria-busy={remove.isPending}
      >
        {remove.isPending ? 'Deleting…' : 'Delete for good'}
      </button>
    </form>
  );
};

export const DeleteWorkspace = () => {
  const [open, setOpen] = useState(false);
  return (
    <Section title="Delete this workspace">
      <div className="card flex flex-wrap items-center gap-x-6 gap-y-4 p-5 text-sm">
        <p className="room-64 flex-1 text-muted">
          With everything in it, for all its members. The first workspace of an installation stays, because the sign-in
          link of its terminal leads there.
        </p>
        <button type="button" className="button button-bad" onClick={() => setOpen(true)}>
          <Trash2 aria-hidden="true" className="size-4" />
          Delete workspace
        </button>
      </div>
      <Dialog title="Delete this workspace?" open={open} onClose={() => setOpen(false)} isLight>
        <Farewell />
      </Dialog>
    </Section>
  );
};
