import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  Link,
  lazyRouteComponent,
  useRouter,
} from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { App } from './app.tsx';
import { Page } from './ui/page.tsx';
import { Empty, Problem } from './ui/states.tsx';

type Load = () => Promise<Record<string, unknown>>;

class Unreachable extends Error {
  override message = 'The server does not answer. Try again in a moment.';
}

const answers = (): Promise<boolean> =>
  fetch('/healthz', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

// A browser may remember for as long as the window lasts that a file could not be fetched.
const unfetched = new WeakSet<object>();

/** The router loads the window anew where a newer release has other files. While nothing answers, that would leave an empty window. */
const unlessAway =
  (load: Load): Load =>
  async () => {
    try {
      return await load();
    } catch (cause) {
      const error = (await answers()) && cause instanceof Error ? cause : new Unreachable();
      unfetched.add(error);
      throw error;
    }
  };

const NotFound = () => (
  <Page title="Nothing here">
    <Empty icon={Compass} title="This address leads nowhere">
      <Link to="/" className="button button-main">
        To the overview
      </Link>
    </Empty>
  </Page>
);

const Broken = ({ error, reset }: ErrorComponentProps) => {
  const router = useRouter();
  const retry = async () => {
    if (error instanceof Error && unfetched.has(error) && (await answers())) return window.location.reload();
    await router.invalidate();
    reset();
  };
  return (
    <Page title={error instanceof Unreachable ? 'This page could not be loaded' : 'This page broke'}>
      <Problem error={error} retry={() => void retry()} />
    </Page>
  );
};

const root = createRootRoute({ component: App, notFoundComponent: NotFound, errorComponent: Broken });

const at = (path: string, load: Load, name: string) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(unlessAway(load) as never, name as never),
    errorComponent: Broken,
  });

const overview = () => import('./pages/overview/overview-page.tsx');
const approvals = () => import('./pages/approvals/approvals-pages.tsx');
const agents = () => import('./pages/agents/agents-pages.tsx');
const tools = () => import('./pages/tools/tools-pages.tsx');
const integrations = () => import('./pages/integrations/integrations-pages.tsx');
const events = () => import('./pages/events/events-pages.tsx');
const runs = () => import('./pages/runs/runs-pages.tsx');
const audit = () => import('./pages/audit/audit-page.tsx');
const settings = () => import('./pages/settings/settings-page.tsx');
const sandbox = () => import('./pages/sandbox/sandbox-page.tsx');

const tree = root.addChildren([
  at('/', overview, 'OverviewPage'),
  at('/approvals', approvals, 'ApprovalsPage'),
  at('/approvals/$id', approvals, 'ApprovalPage'),
  at('/agents', agents, 'AgentsPage'),
  at('/agents/new', agents, 'NewAgentPage'),
  at('/agents/$id', agents, 'AgentPage'),
  at('/triggers', agents, 'TriggersPage'),
  at('/triggers/$id', agents, 'TriggerPage'),
  at('/tools', tools, 'ToolsPage'),
  at('/tools/new', tools, 'NewToolPage'),
  at('/tools/$id', tools, 'ToolPage'),
  at('/integrations', integrations, 'IntegrationsPage'),
  at('/integrations/$integration', integrations, 'IntegrationPage'),
  at('/events', events, 'EventsPage'),
  at('/events/$id', events, 'EventPage'),
  at('/runs', runs, 'RunsPage'),
  at('/runs/$id', runs, 'RunPage'),
  at('/audit', audit, 'AuditPage'),
  at('/settings', settings, 'SettingsPage'),
  at('/sandbox', sandbox, 'SandboxPage'),
]);

export const router = createRouter({ routeTree: tree, defaultPreload: 'intent', scrollRestoration: true });
