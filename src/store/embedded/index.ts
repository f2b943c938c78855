export { findRunningPostgres } from './running.ts';
export { scratchFolder } from './scratch-folder.ts';
export { type EmbeddedPostgres, startServer as startEmbeddedPostgres } from './supervisor.ts';
