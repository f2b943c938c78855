import { Link, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import type { Role } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { Page } from '../../ui/page.tsx';
import { DataTab } from './data-tab.tsx';
import { MembersTab } from './members-tab.tsx';
import { ModelsTab } from './models-tab.tsx';
import { SafetyTab } from './safety-tab.tsx';
import { WebhooksTab } from './webhooks-tab.tsx';
import { WorkspaceTab } from './workspace-tab.tsx';
import { YouTab } from './you-tab.tsx';

type Tab = { name: string; title: string; role: Role; show: () => ReactNode };

const tabs: readonly Tab[] = [
  { name: 'members', title: 'Members', role: 'viewer', show: () => <MembersTab /> },
  { name: 'you', title: 'You', role: 'viewer', show: () => <YouTab /> },
  { name: 'workspace', title: 'Workspace', role: 'viewer', show: () => <WorkspaceTab /> },
  { name: 'safety', title: 'Sending & stop', role: 'viewer', show: () => <SafetyTab /> },
  { name: 'models', title: 'Model', role: 'viewer', show: () => <ModelsTab /> },
  { name: 'webhooks', title: 'Webhooks', role: 'owner', show: () => <WebhooksTab /> },
  { name: 'data', title: 'Data & access', role: 'viewer', show: () => <DataTab /> },
];

export const SettingsPage = () => {
  const { may } = useSession();
  const { tab: wanted } = useSearch({ strict: false }) as { tab?: string };
  const open = tabs.filter(({ role }) => may(role));
  const current = open.find(({ name }) => name === wanted) ?? open[0];
  const place = useRef<HTMLUListElement>(null);
  const name = current?.name;
  useEffect(() => {
    place.current?.querySelector(`[data-tab="${name}"]`)?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [name]);
  return (
    <Page
      title="Settings"
      about={
        may('owner') ? 'Of this workspace, and your own.' : 'Owners of this workspace can change what is set here.'
      }
    >
      <nav aria-label="Settings" className="-mx-4 overflow-x-auto px-4 sm:mx-0 sm:px-0">
        <ul ref={place} className="flex min-w-max gap-1 border-b border-line">
          {open.map((tab) => (
            <li key={tab.name} data-tab={tab.name}>
              <Link
                to="/settings"
                search={{ tab: tab.name }}
                aria-current={tab.name === name ? 'page' : undefined}
                className={`-mb-px flex min-h-11 items-center border-b-2 px-3 text-sm ${
                  tab.name === name
                    ? 'border-accent font-medium text-accent'
                    : 'border-transparent text-muted hover:text-ink'
                }`}
              >
                {tab.title}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {current?.show()}
    </Page>
  );
};
