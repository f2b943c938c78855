import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Role } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { Page } from '../../ui/page.tsx';
import { TabLinks } from '../../ui/tab-links.tsx';
import { UnsavedParts } from '../../ui/unsaved.tsx';
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
  return (
    <Page
      title="Settings"
      which={current?.title}
      about={
        may('owner') ? 'Of this workspace, and your own.' : 'Owners of this workspace can change what is set here.'
      }
    >
      <TabLinks
        label="Settings"
        to="/settings"
        tabs={open.map(({ name, title }) => ({ name, title, search: { tab: name } }))}
        current={current?.name}
      />
      <UnsavedParts>{current?.show()}</UnsavedParts>
    </Page>
  );
};
