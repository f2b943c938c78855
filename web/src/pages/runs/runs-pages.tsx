import { Page } from '../../ui/page.tsx';

export const RunsPage = () => <Page title="Runs">…</Page>;

export const RunPage = () => <Page title="Run">…</Page>;
