export * from './approvals.ts';
export * from './await-approval.ts';
export * from './clearance.ts';
export * from './plan.ts';
export * from './records.ts';
export * from './sent-lately.ts';
