export * from './embedded/index.ts';
export * from './ids.ts';
export * from './key-ring.ts';
export * from './migrate.ts';
export * from './rotate.ts';
export * from './sealing.ts';
export * from './store.ts';
export * from './tables.ts';
