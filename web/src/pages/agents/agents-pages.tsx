import { Page } from '../../ui/page.tsx';

export const AgentsPage = () => <Page title="Agents">…</Page>;

export const NewAgentPage = () => <Page title="NewAgent">…</Page>;

export const AgentPage = () => <Page title="Agent">…</Page>;

export const TriggerPage = () => <Page title="Trigger">…</Page>;
