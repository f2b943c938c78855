import { z } from 'zod';
import { defineStep, path } from '#kit';
import { changes } from '../aside.ts';
import { look } from '../looks/index.ts';
import { boardOfCard, cardIdOf, memberIdsOf } from '../lookups.ts';
import { toWrite } from '../scopes.ts';
import { cardInput, MemberRef } from '../shapes.ts';

export const addMember = defineStep({
  name: 'add_member',
  title: 'Add Member',
  group: 'Cards',
  purpose: 'Assign a member of the board to a card.',
  effect: 'write',
  scopes: toWrite,
  input: z.object({
    ...cardInput,
    member: MemberRef.describe('Member of the board: id, username, full name or "me".'),
  }),
  output: z.object({ cardId: z.string(), memberId: z.string(), changed: z.boolean() }),
  summary: ({ changed }) => (changed ? 'Added the member to the card.' : 'The member was on the card already.'),
  run: async ({ cardId, board, member }, context) => {
    const { upstream } = context;
    const id = await cardIdOf(context, cardId, board);
    const [value = ''] = await memberIdsOf(context, [member], () => boardOfCard(upstream, id), 'member');
    const changed = await changes(() => upstream.post(path`/1/cards/${id}/idMembers`, { body: { value } }));
    return { cardId: id, memberId: value, changed };
  },
  find: (_, context) => look(context),
});
