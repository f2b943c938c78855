import { z } from 'zod';
import { caseless, counted, defineStep, path } from '#kit';
import { boardIdOf } from '../lookups.ts';
import { pageInput, pageOf, pageOutput } from '../paging.ts';
import { toRead } from '../scopes.ts';
import { BoardRef, Member } from '../shapes.ts';

const Membership = z.object({ idMember: z.string(), memberType: z.string(), member: Member });
const Shown = Member.extend({ role: z.string(), isMe: z.boolean() });

export const listMembers = defineStep({
  name: 'list_members',
  title: 'List Members',
  group: 'Boards/Lists',
  purpose: 'List the people on a board.',
  effect: 'read',
  scopes: toRead,
  input: z.object({
    board: BoardRef.describe('Board: its id, short link, web address or exact name.'),
    query: z.string().min(1).max(200).optional().describe('Only people whose name contains this text.'),
    ...pageInput,
  }),
  output: z.object(pageOutput(Shown)),
  summary: ({ items, nextCursor }) => counted(items.length, ['member', 'members'], nextCursor !== undefined),
  run: async ({ board, query: words, ...page }, context) => {
    const idBoard = await boardIdOf(context, board);
    const query = { member: true, member_fields: 'username,fullName' };
    const low = caseless(words ?? '');
    const people = z
      .array(Membership)
      .parse(await context.upstream.get(path`/1/boards/${idBoard}/memberships`, { query }))
      .filter(({ member }) => caseless(`${member.fullName} ${member.username}`).includes(low))
      .map(({ member, memberType }) => ({
        ...member,
        role: memberType,
        isMe: member.id === context.account.identity.id,
      }));
    return pageOf(people, ({ fullName, id }) => [fullName, id], page);
  },
});
