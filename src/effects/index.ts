export * from './approvals/index.ts';
export * from './guard.ts';
export * from './guarded.ts';
export * from './record.ts';
export * from './rehearsal.ts';
export * from './run-cancelled.ts';
export type { Intended, NewIntent } from './write-together.ts';
