import { Page } from '../../ui/page.tsx';

export const AuditPage = () => <Page title="Audit">…</Page>;
