export { createUpstreamClient } from './client.ts';
export { guardedConnector, mayReach, NotAllowed } from './guard.ts';
export { isAmbiguous } from './no-answer.ts';
export { type Admission, createPacer, type Pacer, type Turn } from './pacer.ts';
export { type Transfers, toUpstream } from './short-forms.ts';
export { Stop, type StopSignal } from './stop.ts';
export type { CallBounds, PartOfUpload, TimedAnswer, UpstreamCall, UpstreamClient } from './types.ts';
export { understood } from './understood.ts';
export { createWebFiles, NotLoaded, type WebFiles } from './web-files.ts';
