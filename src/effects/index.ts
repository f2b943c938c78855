export * from './approvals/index.ts';
export * from './guard.ts';
export * from './record.ts';
export * from './rehearsal.ts';
export * from './run-cancelled.ts';
