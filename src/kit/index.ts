export * from './endpoint.ts';
export * from './fault.ts';
export * from './integration.ts';
export * from './page.ts';
export * from './path.ts';
export * from './step.ts';
export * from './trigger.ts';
export * from './upstream.ts';
