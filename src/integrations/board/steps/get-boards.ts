import { z } from 'zod';
import { caseless, counted, defineStep, path } from '#kit';
import { workspaceIdOf } from '../lookups.ts';
import { pageInput, pageOf, pageOutput } from '../paging.ts';
import { toRead } from '../scopes.ts';
import { Time, tellTimes } from '../times.ts';

const List = z.object({ id: z.string(), name: z.string() });
const Board = z.object({
  id: z.string(),
  shortLink: z.string(),
  name: z.string(),
  url: z.string(),
  closed: z.boolean(),
  idOrganization: z.string().nullable(),
  dateLastActivity: z.string().nullish(),
  organization: z.object({ id: z.string(), displayName: z.string() }).nullish(),
  lists: z.array(List).optional(),
});

const Shown = Board.pick({ id: true, shortLink: true, name: true, url: true, closed: true }).extend({
  workspace: z.object({ id: z.string(), name: z.string().optional() }).nullable(),
  lastActivity: Time.nullable(),
  lists: z.array(List).optional(),
});

const show = (board: z.output<typeof Board>) => {
  const { id, shortLink, name, url, closed, idOrganization, organization, dateLastActivity, lists } = board;
  const workspace = idOrganization === null ? null : { id: idOrganization, name: organization?.displayName };
  const shown = { id, shortLink, name, url, closed, workspace, lastActivity: dateLastActivity ?? null };
  return lists === undefined ? shown : { ...shown, lists };
};

export const getBoards = defineStep({
  name: 'get_boards',
  title: 'Get Boards',
  group: 'Boards/Lists',
  purpose: 'List the boards of this account.',
  effect: 'read',
  scopes: toRead,
  input: z.object({
    filter: z
      .enum(['open', 'closed', 'all', 'members', 'organization', 'public', 'starred'])
      .default('open')
      .describe('Which boards.'),
    workspace: z.string().trim().min(1).max(200).optional().describe('Only boards of this workspace: id or name.'),
    query: z.string().trim().min(1).max(200).optional().describe('Only boards whose name contains this text.'),
    includeLists: z.boolean().default(false).describe('Whether to tell the open lists of each board.'),
    ...pageInput,
  }),
  output: z.object(pageOutput(Shown)),
  summary: ({ items, nextCursor }) => counted(items.length, ['board', 'boards'], nextCursor !== undefined),
  run: async ({ filter, workspace, query: words, includeLists, ...page }, context) => {
    const query = {
      filter,
      fields: 'shortLink,name,url,closed,idOrganization,dateLastActivity',
      organization: true,
      organization_fields: 'displayName',
      lists: includeLists ? 'open' : 'none',
    };
    const idWorkspace = workspace === undefined ? undefined : await workspaceIdOf(context, workspace);
    const low = caseless(words ?? '');
    const boards = z
      .array(Board)
      .parse(await context.upstream.get(path`/1/members/me/boards`, { query }))
      .filter(({ idOrganization }) => idWorkspace === undefined || idOrganization === idWorkspace)
      .filter(({ name }) => caseless(name).includes(low))
      .map(show);
    return tellTimes(pageOf(boards, ({ name, id }) => [name, id], page));
  },
});
