export { createUpstreamClient } from './client.ts';
export { isAmbiguous } from './no-answer.ts';
export { toUpstream } from './short-forms.ts';
export type { TimedAnswer, UpstreamCall, UpstreamClient } from './types.ts';
