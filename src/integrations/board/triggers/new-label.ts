import { z } from 'zod';
import { defineWebhookTrigger } from '#kit';
import { toRead } from '../scopes.ts';
import { ActedLabel, actionOf, actorOf } from './action.ts';
import { boardWatches, common, judged, placesAdmit, settleBoards } from './config.ts';
import sample from './new-label.sample.json' with { type: 'json' };
import { base, LabelView, payload, shownLabel } from './payload.ts';
import { lineOf } from './words.ts';

export const newLabel = defineWebhookTrigger({
  name: 'new_label',
  title: 'New Label Created',
  purpose: 'Fires when a label is created on a board.',
  scopes: toRead,
  config: z.object(common),
  neverListed: true,
  delivery: actionOf(z.literal('createLabel'), { label: ActedLabel }),
  event: z.object({ ...payload, label: LabelView }),
  settle: settleBoards,
  ...boardWatches,
  judge: (delivery, config) => judged(placesAdmit(delivery, config)),
  toEvent: (delivery, _, pages) => ({ ...base(delivery, pages), label: shownLabel(delivery.data.label) }),
  actorOf,
  summaryOf: lineOf,
  sample,
});
