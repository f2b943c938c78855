import { ExternalLink, FlaskConical, Kanban, type LucideIcon, Mail } from 'lucide-react';
import { useSession } from '../../data/session.tsx';
import { useRead } from '../../data/use-read.ts';
import { Page, Section } from '../../ui/page.tsx';
import { Shown } from '../../ui/shown.tsx';
import { Empty } from '../../ui/states.tsx';
import { FaultPanel } from './fault-panel.tsx';
import { Tour } from './tour.tsx';

const Door = (props: { href: string; icon: LucideIcon; title: string; about: string }) => {
  const { href, icon: Icon, title, about } = props;
  return (
    <a
      className="card flex items-start gap-4 p-5 hover:border-accent/60 hover:bg-hover"
      href={href}
      target="_blank"
      rel="noreferrer"
    >
      <span className="grid size-11 shrink-0 place-items-center rounded-xl bg-accent-soft text-accent">
        <Icon aria-hidden="true" className="size-5" />
      </span>
      <span className="min-w-0 flex-1">
        <span className="block font-semibold">{title}</span>
        <span className="block text-sm text-muted">{about}</span>
        <span className="block text-xs text-muted [overflow-wrap:anywhere]">{href}</span>
      </span>
      <ExternalLink aria-label="(opens a new tab)" className="size-4 shrink-0 text-muted" />
    </a>
  );
};

export const SandboxPage = () => {
  const { may } = useSession();
  const sandbox = useRead('GET /v1/sandbox');
  return (
    <Page
      title="Sandbox"
      about="Stand-ins for the mail service and the board service, on this machine alone. Nothing you do here reaches anybody."
    >
      <Shown of={sandbox} loading="Looking for the sandbox">
        {({ enabled, mail = '', board = '' }) =>
          enabled ? (
            <>
              {may('builder') && <Tour mailbox={mail} />}
              <Section title="Look inside">
                <div className="grid grid-cols-[minmax(0,1fr)] gap-4 md:grid-cols-2">
                  <Door
                    href={mail}
                    icon={Mail}
                    title="Sandbox mailbox"
                    about="Read and write mail as Ada, Ben or Cy. Every password is “sandbox”."
                  />
                  <Door
                    href={board}
                    icon={Kanban}
                    title="Sandbox board"
                    about="Drag cards on the board Launch; API keys and tokens are shown there."
                  />
                </div>
              </Section>
              {may('builder') ? (
                <FaultPanel />
              ) : (
                <p className="card p-4 text-sm text-muted">Builders and owners take the tour and choose faults.</p>
              )}
            </>
          ) : (
            <Empty icon={FlaskConical} title="This Switchboard uses the real services">
              <p>The sandbox runs where no live credentials are configured.</p>
            </Empty>
          )
        }
      </Shown>
    </Page>
  );
};
