export type { Diagnose, Diagnosis, Finding } from './diagnosis.ts';
export { createEvents, type Events } from './events.ts';
export { createFarewell } from './farewell.ts';
export type { EventDetail, EventFilter, EventSummary, History } from './history.ts';
export type { HookAnswer, Intake } from './intake.ts';
export type { Preview, PreviewTrigger } from './preview.ts';
export type { Trigger } from './trigger-records.ts';
export type { NewTrigger, TriggerChange, Triggers } from './triggers.ts';
