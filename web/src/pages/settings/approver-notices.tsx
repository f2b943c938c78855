import type { Settings } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { useWrite } from '../../data/use-write.ts';
import { Section } from '../../ui/page.tsx';

export const ApproverNotices = ({ settings }: { settings: Settings }) => {
  const { may } = useSession();
  const save = useWrite('PATCH /v1/settings', { refresh: ['settings'], done: 'Saved.' });
  const { mail, mailServer } = settings.approverNotices;
  return (
    <Section title="Notices to approvers">
      <div className="card grid gap-2 p-5 text-sm">
        <label className="flex min-h-10 items-center gap-3">
          <input
            type="checkbox"
            className="size-4 shrink-0 accent-accent-strong"
            checked={mail}
            disabled={!may('owner') || save.isPending}
            onChange={(event) => save.mutate({ body: { approverNotices: { mail: event.target.checked } } })}
          />
          Tell approvers, builders and owners by mail when something waits for a decision
        </label>
        <p className="text-muted">
          The mail names the account and the subject and links here; nothing is decided by mail.
          {!mailServer &&
            ' The operator has set no mail server (SMTP_URL), so no mail leaves yet; the screen and webhooks tell.'}
        </p>
      </div>
    </Section>
  );
};
