import { Page } from '../../ui/page.tsx';

export const ApprovalsPage = () => <Page title="Approvals">…</Page>;

export const ApprovalPage = () => <Page title="Approval">…</Page>;
