import { Page } from '../../ui/page.tsx';

export const IntegrationsPage = () => <Page title="Integrations">…</Page>;

export const IntegrationPage = () => <Page title="Integration">…</Page>;
