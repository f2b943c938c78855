export * from './leads-on.ts';
export * from './path.ts';
export * from './template.ts';
