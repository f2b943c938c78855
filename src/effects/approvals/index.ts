export * from './approvals.ts';
export * from './await-approval.ts';
export * from './clearance.ts';
export * from './done-lately.ts';
export * from './plan.ts';
export * from './records.ts';
export type { Approval, ApprovalFilter, ApprovalSummary } from './shown.ts';
