export * from './files.ts';
export * from './journal.ts';
export * from './leases.ts';
export * from './pickers.ts';
export * from './run-records.ts';
export * from './runs.ts';
export * from './takeover.ts';
