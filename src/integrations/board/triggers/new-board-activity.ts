import { z } from 'zod';
import { defineWebhookTrigger } from '#kit';
import { toRead } from '../scopes.ts';
import { actorOf } from './action.ts';
import { ActionType, refuseSlips } from './action-type.ts';
import { Activity, ActivityEvent, activityOf, admitsType } from './activity.ts';
import { admitsPerson, boardWatches, judged, members, onCards, placesAdmit, settleListlessCards } from './config.ts';
import { needsCard, withCard } from './facts.ts';
import sample from './new-board-activity.sample.json' with { type: 'json' };
import { lineOf } from './words.ts';

export const newBoardActivity = defineWebhookTrigger({
  name: 'new_board_activity',
  title: 'New Board Activity',
  purpose: 'Fires on any activity on a board.',
  scopes: toRead,
  config: z.object({
    ...onCards,
    activityTypes: z
      .array(ActionType)
      .max(100)
      .default([])
      .describe(
        'Only these types, such as createCard, commentCard, updateCard:due, or a verb such as delete; empty for all.',
      ),
    members: members.describe('Only what these people did: ids, usernames or "me"; empty for all.'),
  }),
  delivery: Activity,
  event: ActivityEvent,
  settle: async (config, ...rest) => {
    refuseSlips('activityTypes', config.activityTypes);
    return settleListlessCards(config, ...rest);
  },
  ...boardWatches,
  isIncomplete: (delivery, config) => admitsType(config.activityTypes, delivery) && needsCard(delivery, config),
  complete: withCard,
  judge: (delivery, config, context) =>
    judged({
      activityTypes: admitsType(config.activityTypes, delivery),
      ...placesAdmit(delivery, config),
      members: admitsPerson(config.members, delivery.memberCreator ?? idOnly(delivery.idMemberCreator), context),
    }),
  toEvent: activityOf,
  actorOf,
  summaryOf: lineOf,
  sample,
});

const idOnly = (id: string | undefined) => (id === undefined ? undefined : { id });
