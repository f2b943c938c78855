export * from './guard.ts';
export * from './record.ts';
