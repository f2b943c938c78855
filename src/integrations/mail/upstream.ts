import type { Grant, UpstreamDefinition } from '#kit';
import { heldTo, reconsider } from './alone.ts';
import { showing } from './approval/showing.ts';
import { effectOf } from './effects.ts';
import { readFault } from './faults.ts';
import { paceOf, payersOf } from './pace.ts';
import { pauseIn, writesIn } from './together.ts';
import { uploads } from './uploads.ts';
import { confirms, idIn, idOf } from './wire.ts';

export const mailUpstream: UpstreamDefinition<Grant> = {
  sign: ({ accessToken }) => ({ authorization: `Bearer ${accessToken}` }),
  effectOf,
  reconsider,
  heldTo,
  readFault,
  pauseIn,
  writesIn,
  confirms,
  idOf,
  idIn,
  payersOf,
  paceOf,
  showing,
  uploads,
};
