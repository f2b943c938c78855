import { z } from 'zod';
import { defineStep, path, quoted } from '#kit';
import { cut } from '../cards.ts';
import { boardIdOf } from '../lookups.ts';
import { toRead } from '../scopes.ts';
import { BoardRef, Label, List, Member } from '../shapes.ts';
import { Time, tellTimes } from '../times.ts';

const longestDesc = 2_000;
const most = 100;

const parts = ['lists', 'labels', 'members'] as const;

const Basics = z.object({
  id: z.string(),
  shortLink: z.string(),
  name: z.string(),
  url: z.string(),
  desc: z.string(),
  closed: z.boolean(),
});

const Board = Basics.extend({
  idOrganization: z.string().nullable(),
  dateLastActivity: z.string().nullish(),
  prefs: z.object({ permissionLevel: z.string().optional() }).optional(),
  organization: z.object({ displayName: z.string() }).nullish(),
  lists: z.array(List.pick({ id: true, name: true, pos: true })).optional(),
  labels: z.array(Label).optional(),
  members: z.array(Member).optional(),
});

export const getBoard = defineStep({
  name: 'get_board',
  title: 'Get Board',
  group: 'Boards/Lists',
  purpose: 'Read one board with its lists, labels and members.',
  effect: 'read',
  scopes: toRead,
  input: z.object({
    board: BoardRef.describe('Board: its id, short link, web address or exact name.'),
    include: z
      .array(z.enum(parts))
      .default([...parts])
      .describe('What to read along with it.'),
  }),
  output: Basics.extend({
    descTruncated: z.boolean().optional(),
    visibility: z.string().optional(),
    workspace: z.object({ id: z.string(), name: z.string().optional() }).nullable(),
    lastActivity: Time.nullable(),
    lists: z.array(List.pick({ id: true, name: true })).optional(),
    labels: z.array(Label).optional(),
    members: z.array(Member).optional(),
    truncated: z.boolean(),
  }),
  summary: ({ name }) => `Read the board ${quoted(name)}.`,
  run: async ({ board: given, include }, context) => {
    const idBoard = await boardIdOf(context, given);
    const query = {
      fields: 'shortLink,name,url,desc,closed,idOrganization,dateLastActivity,prefs',
      organization: true,
      organization_fields: 'displayName',
      lists: include.includes('lists') ? 'open' : 'none',
      labels: include.includes('labels') ? 'all' : 'none',
      // Without a limit the service stops at 50.
      labels_limit: 1000,
      members: include.includes('members') ? 'all' : 'none',
      member_fields: 'username,fullName',
    };
    const answer = Board.parse(await context.upstream.get(path`/1/boards/${idBoard}`, { query }));
    const { desc, idOrganization, organization, dateLastActivity, prefs, ...board } = answer;
    const lists = board.lists?.toSorted((a, b) => a.pos - b.pos).slice(0, most);
    return tellTimes({
      ...board,
      desc: cut(desc, longestDesc),
      ...(desc.length > longestDesc ? { descTruncated: true } : {}),
      visibility: prefs?.permissionLevel,
      workspace: idOrganization === null ? null : { id: idOrganization, name: organization?.displayName },
      lastActivity: dateLastActivity ?? null,
      lists,
      labels: board.labels?.slice(0, most),
      members: board.members?.slice(0, most),
      truncated: [board.lists, board.labels, board.members].some((all) => (all?.length ?? 0) > most),
    });
  },
});
