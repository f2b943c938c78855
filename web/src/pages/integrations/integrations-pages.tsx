export { IntegrationPage } from './integration-page.tsx';
export { IntegrationsPage } from './integrations-page.tsx';
