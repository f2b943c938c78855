export { ApprovalPage } from './approval-page.tsx';
export { ApprovalsPage } from './approvals-list.tsx';
