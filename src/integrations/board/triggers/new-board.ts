import { z } from 'zod';
import { defineWebhookTrigger, path, placeOf, type SettleContext, type WatchContext } from '#kit';
import { unlessGone } from '../faults.ts';
import { isId, noSuch, refuse } from '../lookups.ts';
import { toRead } from '../scopes.ts';
import { madeAt } from '../shapes.ts';
import { type Workspace, workspacesOf } from '../workspaces.ts';
import { actionOf, actorOf, Named } from './action.ts';
import { admitsNamed, common, judged } from './config.ts';
import sample from './new-board.sample.json' with { type: 'json' };
import { base, payload, short } from './payload.ts';
import { lineOf } from './words.ts';

const Found = z.object({
  id: z.string(),
  name: z.string(),
  url: z.string(),
  shortLink: z.string().optional(),
  idOrganization: z.string().nullish(),
  organization: Named.extend({ displayName: z.string().optional() }).nullish(),
  actions: z.array(z.unknown()).default([]),
});

/** Workspaces are known by id, by the name in their address, and by the name they show. */
const isChosen = (workspaces: readonly string[], { id, name, displayName }: Workspace) =>
  workspaces.length === 0 ||
  admitsNamed(workspaces, [
    { id, name },
    { id, name: displayName },
  ]);

const refuseWorkspace = (given: string, at: number, there: readonly Workspace[], name: string | undefined): never =>
  refuse(
    placeOf(['config', 'workspaces', at]),
    name === undefined
      ? noSuch('workspace', given, 'Get Boards')
      : `The workspace “${name}” is gone, or this account is not in it any more; leave it out, or name another one.`,
    there.map(({ id, name, displayName = name }) => ({ id, names: [displayName, name] })),
  );

// Its companion, addToOrganizationBoard, also tells of old boards that move in.
const Made = actionOf(z.enum(['createBoard', 'copyBoard']), {});

const { boards: _, ...config } = common;

export const newBoard = defineWebhookTrigger({
  name: 'new_board',
  title: 'New Board',
  purpose: 'Fires when a board is created in a workspace.',
  scopes: toRead,
  config: z.object({
    ...config,
    workspaces: z
      .array(z.string().trim().min(1).max(200).meta({ picker: 'workspaces' }))
      .max(100)
      .default([])
      .describe('Only boards of these workspaces: ids or names; empty for all.'),
  }),
  delivery: Made,
  event: z.object({
    ...payload,
    workspace: z.object({ id: z.string(), name: z.string().optional() }).optional(),
    copied: z.boolean(),
  }),
  settle: async (given, context: SettleContext) => {
    if (given.workspaces.length === 0) return given;
    const all = await workspacesOf(context);
    const ids = [...given.workspaces.entries()].flatMap(([at, each]) => {
      const chosen = all.filter((one) => isChosen([isId(each) ? each.toLowerCase() : each], one)).map(({ id }) => id);
      return chosen.length > 0 ? chosen : refuseWorkspace(each, at, all, context.nameOf(each));
    });
    return { ...given, workspaces: [...new Set(ids)] };
  },
  // The member's own feed tells of own boards; those of others are found among the workspace's boards.
  resources: async ({ workspaces }, context: WatchContext) => {
    const all = await workspacesOf(context);
    return ['member/me', ...all.filter((one) => isChosen(workspaces, one)).map(({ id }) => `organization/${id}`)];
  },
  resourcesChange: ({ workspaces }) => workspaces.length === 0,
  isIncomplete: ({ facts }) => facts?.board === undefined,
  complete: async (delivery, { upstream }) => {
    const query = {
      fields: 'name,url,shortLink,idOrganization',
      organization: true,
      organization_fields: 'name,displayName',
      // One that was found among those of its workspace tells nothing of its making.
      ...(delivery.told === undefined ? {} : { actions: 'createBoard,copyBoard', actions_limit: 1 }),
    };
    const body = await unlessGone(upstream.get(path`/1/boards/${delivery.data.board.id}`, { query }));
    const read = body === undefined ? undefined : Found.parse(body);
    if (read === undefined) return { ...delivery, facts: { board: null, workspace: null } };
    const { organization, actions, ...board } = read;
    const making = Made.safeParse(actions[0]).data ?? delivery;
    return { ...making, facts: { board, workspace: organization ?? null } };
  },
  judge: ({ data, facts }, { workspaces }, { since }) => {
    // A board that was made earlier and moved in, or came to be visible, is not new.
    if (madeAt(data.board.id).getTime() < Math.floor(since.getTime() / 1000) * 1000) {
      return { outcome: 'skipped', reason: 'The board is older than this trigger.' };
    }
    const { id = facts?.board?.idOrganization ?? '', name = '', displayName } = facts?.workspace ?? {};
    return judged({ workspaces: workspaces.length === 0 || isChosen(workspaces, { id, name, displayName }) });
  },
  toEvent: (delivery, _, pages) => {
    const { board, workspace } = delivery.facts ?? {};
    const { name = '', displayName = name } = workspace ?? {};
    const told = base(delivery, pages);
    return {
      ...told,
      board: { ...told.board, ...(board ? { url: board.url } : {}) },
      ...(workspace ? { workspace: { id: workspace.id, name: short(displayName) } } : {}),
      copied: delivery.type === 'copyBoard',
    };
  },
  actorOf,
  summaryOf: lineOf,
  sample,
});
