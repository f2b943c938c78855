import { z } from 'zod';
import { defineStep, quoted } from '#kit';
import { attachTo, NewAttachment } from '../attachments.ts';
import { look } from '../looks/index.ts';
import { cardIdOf } from '../lookups.ts';
import { toWrite } from '../scopes.ts';
import { AttachmentTold, cardInput } from '../shapes.ts';
import { tellTimes } from '../times.ts';

export const attach = defineStep({
  name: 'attach',
  title: 'Attach File or Link',
  group: 'Cards',
  purpose: 'Attach a link or a stored file to a card.',
  effect: 'write',
  scopes: toWrite,
  input: z.object({ ...cardInput, ...NewAttachment.shape }),
  output: AttachmentTold.extend({ cardId: z.string() }),
  summary: ({ name }) => `Attached ${quoted(name)} to the card.`,
  run: async ({ cardId, board, ...attachment }, context) => {
    const id = await cardIdOf(context, cardId, board);
    return tellTimes({ ...(await attachTo(id, attachment, context)), cardId: id });
  },
  find: (_, context) => look(context),
});
