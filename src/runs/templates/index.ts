export * from './path.ts';
export * from './template.ts';
