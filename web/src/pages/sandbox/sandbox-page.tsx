import { Page } from '../../ui/page.tsx';

export const SandboxPage = () => <Page title="Sandbox">…</Page>;
