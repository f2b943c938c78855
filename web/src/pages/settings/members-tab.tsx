import { LogIn, UserMinus, UserPlus } from 'lucide-react';
import { useState } from 'react';
import type { Member, Role } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { useRead } from '../../data/use-read.ts';
import { useWrite } from '../../data/use-write.ts';
import { Badge } from '../../ui/badge.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Section } from '../../ui/page.tsx';
import { Shown } from '../../ui/shown.tsx';
import { Time } from '../../ui/time.tsx';
import { InviteMember } from './invite-member.tsx';
import { SignInLinkShown } from './sign-in-link-shown.tsx';
import { roles } from './words.ts';

const OwnerControls = ({ member, isSelf }: { member: Member; isSelf: boolean }) => {
  const [linkOpen, setLinkOpen] = useState(false);
  const params = { id: member.id };
  const touched = ['members', 'session'];
  const change = useWrite('PATCH /v1/members/{id}', { refresh: touched, done: 'The role is changed.' });
  const remove = useWrite('DELETE /v1/members/{id}', { refresh: touched, done: `${member.email} is removed.` });
  return (
    <div className="flex flex-wrap items-center gap-2">
      <select
        className="field w-auto"
        aria-label={`Role of ${member.email}`}
        value={member.role}
        disabled={change.isPending}
        onChange={(event) => change.mutate({ params, body: { role: event.target.value as Role } })}
      >
        {roles.map(([role]) => (
          <option key={role} value={role}>
            {role}
          </option>
        ))}
      </select>
      {!isSelf && (
        <>
          <button type="button" className="button button-quiet" onClick={() => setLinkOpen(true)}>
            <LogIn aria-hidden="true" className="size-4" />
            Sign-in link
          </button>
          <Dialog title={`Sign-in link for ${member.email}`} open={linkOpen} onClose={() => setLinkOpen(false)}>
            <SignInLinkShown memberId={member.id} />
          </Dialog>
          <Confirm
            trigger={
              <>
                <UserMinus aria-hidden="true" className="size-4" />
                Remove
              </>
            }
            title={`Remove ${member.email}?`}
            action="Remove"
            className="button button-bad"
            onConfirm={() => remove.mutateAsync({ params })}
          >
            <p>
              They are signed out of this workspace at once and can no longer decide, build or look. What they made, the
              accounts they connected and the audit stay.
            </p>
          </Confirm>
        </>
      )}
    </div>
  );
};

export const MembersTab = () => {
  const { member: self, may } = useSession();
  const [inviting, setInviting] = useState(false);
  const members = useRead('GET /v1/members');
  return (
    <Section
      title="Members"
      about="The people of this workspace. There is no mail to them: an invitation is a link that you pass on."
      actions={
        may('owner') && (
          <button type="button" className="button button-main" onClick={() => setInviting(true)}>
            <UserPlus aria-hidden="true" className="size-4" />
            Invite
          </button>
        )
      }
    >
      <Shown of={members} loading="Looking who belongs here">
        {({ items }) => (
          <ul className="card divide-y divide-line">
            {items.map((member) => (
              <li key={member.id} className="flex flex-wrap items-center gap-x-4 gap-y-3 px-4 py-3 text-sm">
                <span className="grid room-48 flex-1">
                  <span className="untrusted font-medium">
                    {member.name} {member.id === self.id && <Badge tone="accent">You</Badge>}
                  </span>
                  <span className="untrusted text-muted">{member.email}</span>
                  <span className="text-xs text-muted">
                    {member.hasPassword ? 'has a password' : 'no password yet'} · joined <Time at={member.createdAt} />
                  </span>
                </span>
                {may('owner') ? (
                  <OwnerControls member={member} isSelf={member.id === self.id} />
                ) : (
                  <Badge>{member.role}</Badge>
                )}
              </li>
            ))}
          </ul>
        )}
      </Shown>
      <dl className="grid gap-x-4 gap-y-1 text-sm text-muted sm:grid-cols-[auto_1fr]">
        {roles.map(([role, words]) => (
          <div key={role} className="contents">
            <dt className="font-medium text-ink">{role}</dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <Dialog title="Invite a person" open={inviting} onClose={() => setInviting(false)}>
        <InviteMember />
      </Dialog>
    </Section>
  );
};
