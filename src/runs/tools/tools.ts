import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { Accounts } from '#accounts';
import type { Clock } from '#clock';
import { afterId, type Catalogue, Fault, type NamedRequest, type Page, toPage } from '#kit';
import { type Actor, type Database, holds, newId, type Store } from '#store';
import { recordAudit } from '#workspaces';
import type { RefuseForUsers } from '../agents/users-of-tool.ts';
import type { Performer } from '../perform.ts';
import type { RunAnswer, Runs, RunWaiting } from '../runs.ts';
import type { Versions } from '../versions.ts';
import type { ToolDefinition } from './definition.ts';
import { readInputs } from './inputs.ts';
import { refuseOthers, soleEndUser, withIds } from './own-accounts.ts';
import { type RehearsedStep, rehearseTool } from './rehearse-tool.ts';
import { validateTool } from './validate-tool.ts';

export type Tool = ToolDefinition & { id: string; version: number; createdAt: Date; updatedAt: Date };

export type ToolRequest = {
  workspaceId: string;
  actor: Actor;
  toolId: string;
  input: Record<string, unknown>;
  /** Whether what counts as a send may leave without a person's approval, where the step allows it too. */
  maySend: boolean;
  requestKey: string | undefined;
  /** The agent in whose view it is called. */
  forAgent?: string | undefined;
  /** The end user of an embedding platform for whom it runs: accounts of all others do not exist then. */
  endUserId?: string | undefined;
};

/** Custom tools. Each change makes a new version, what is saved as it was does not; runs keep the one they began with. */
export type Tools = {
  list(workspaceId: string, page: NamedRequest): Promise<Page<Tool>>;
  get(workspaceId: string, id: string): Promise<Tool>;
  /** What all tools are called, and nothing else of them. */
  names(workspaceId: string): Promise<{ id: string; name: string }[]>;
  create(workspaceId: string, definition: ToolDefinition, actor: Actor): Promise<Tool>;
  /** Refuses what could not be saved, and saves nothing. */
  check(workspaceId: string, definition: ToolDefinition): Promise<void>;
  /** Refused when the tool is not at the `expected` version any more. */
  change(
    workspaceId: string,
    id: string,
    change: Partial<ToolDefinition>,
    actor: Actor,
    expected?: number,
  ): Promise<Tool>;
  /** The agents that use it. */
  users(workspaceId: string, id: string): Promise<{ id: string; name: string; state: 'enabled' | 'paused' }[]>;
  /** Refused while an agent uses it. */
  remove(workspaceId: string, id: string, actor: Actor): Promise<void>;
  run(request: ToolRequest): Promise<RunAnswer | RunWaiting>;
  dryRun(
    request: Pick<ToolRequest, 'workspaceId' | 'actor' | 'toolId' | 'input' | 'endUserId'>,
  ): Promise<RehearsedStep[]>;
};

type Row = { id: string; version: number; created_at: Date; updated_at: Date; definition: unknown };

const show = (row: Row): Tool => ({
  id: row.id,
  ...(row.definition as ToolDefinition),
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** As it is stored. */
const asJson = (definition: ToolDefinition): unknown => JSON.parse(JSON.stringify(definition));

const changedMeanwhile = (version: number) =>
  new Fault('conflict', `The tool was changed meanwhile; it is at version ${version} now. Look at it again.`, {
    details: { version },
  });

const unknownTool = () => new Fault('not_found', 'There is no such tool.');

export const createTools = (options: {
  store: Store;
  clock: Clock;
  catalogue: Catalogue;
  accounts: Accounts;
  versions: Versions;
  performer: Performer;
  runs: Runs;
  refuseForUsers: RefuseForUsers;
}): Tools => {
  const { store, clock, versions, runs, accounts, refuseForUsers } = options;

  const find = (db: Database, workspaceId: string) =>
    db
      .selectFrom('tools')
      .innerJoin('tool_versions as v', (join) =>
        join
          .onRef('v.workspace_id', '=', 'tools.workspace_id')
          .onRef('v.tool_id', '=', 'tools.id')
          .onRef('v.version', '=', 'tools.version'),
      )
      .select(['tools.id', 'tools.version', 'tools.created_at', 'tools.updated_at', 'v.definition'])
      .where('tools.workspace_id', '=', workspaceId);

  const get = async (workspaceId: string, id: string, db: Database = store.of(workspaceId)): Promise<Tool> => {
    const row = await find(db, workspaceId).where('tools.id', '=', id).executeTakeFirst();
    if (row === undefined) throw unknownTool();
    return show(row);
  };

  const usersIn = (db: Database, workspaceId: string, id: string) =>
    db
      .selectFrom('agents')
      .select(['id', 'name', 'state'])
      .where('workspace_id', '=', workspaceId)
      .where(sql<boolean>`tool_ids @> array[${id}]`)
      .orderBy('id');

  const keepVersion = (tx: Database, workspaceId: string, tool: Tool, actor: Actor) => {
    const { id, version, createdAt: _, updatedAt: at, ...definition } = tool;
    return tx
      .insertInto('tool_versions')
      .values({
        workspace_id: workspaceId,
        tool_id: id,
        version,
        definition: JSON.stringify(definition),
        made_by: JSON.stringify(actor),
        created_at: at,
      })
      .execute();
  };

  return {
    get: (workspaceId, id) => get(workspaceId, id),

    names: (workspaceId) =>
      store
        .of(workspaceId)
        .selectFrom('tools')
        .select(['id', 'name'])
        .where('workspace_id', '=', workspaceId)
        .execute(),

    list: async (workspaceId, page) => {
      const after = afterId('tool', page);
      const rows = await find(store.of(workspaceId), workspaceId)
        .$if(after !== undefined, (query) => query.where('tools.id', '<', after as string))
        .$if(page.query !== undefined, (query) => query.where(holds(sql.ref('tools.name'), page.query as string)))
        .orderBy('tools.id', 'desc')
        .limit(page.limit + 1)
        .execute();
      return toPage(rows, page, show);
    },

    check: (workspaceId, definition) => validateTool(options, workspaceId, definition),

    create: async (workspaceId, definition, actor) => {
      await validateTool(options, workspaceId, definition);
      const at = clock.now();
      const tool: Tool = { id: newId('tool', at), ...definition, version: 1, createdAt: at, updatedAt: at };
      await store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          const { id, name } = tool;
          await tx
            .insertInto('tools')
            .values({ id, workspace_id: workspaceId, name, version: 1, created_at: at, updated_at: at })
            .execute();
          await keepVersion(tx, workspaceId, tool, actor);
          await recordAudit(tx, clock, { workspaceId, actor, action: 'tool.created', target: id, details: { name } });
        });
      return tool;
    },

    users: async (workspaceId, id) => {
      await get(workspaceId, id);
      return usersIn(store.of(workspaceId), workspaceId, id).execute();
    },

    change: async (workspaceId, id, change, actor, expected) => {
      const before = await get(workspaceId, id);
      if (expected !== undefined && expected !== before.version) throw changedMeanwhile(before.version);
      const { createdAt, version: earlier, id: _, updatedAt: __, ...definition } = before;
      const changed = { ...definition, ...change };
      if (isDeepStrictEqual(asJson(changed), asJson(definition))) return before;
      await validateTool(options, workspaceId, changed);
      const version = earlier + 1;
      const tool: Tool = { id, ...changed, version, createdAt, updatedAt: clock.now() };
      await store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          const { numUpdatedRows } = await tx
            .updateTable('tools')
            .set({ name: tool.name, version, updated_at: tool.updatedAt })
            .where('workspace_id', '=', workspaceId)
            .where('id', '=', id)
            .where('version', '=', earlier)
            .executeTakeFirst();
          if (numUpdatedRows === 0n) throw changedMeanwhile((await get(workspaceId, id, tx)).version);
          await refuseForUsers(tx, workspaceId, { id, before: definition, after: changed });
          await keepVersion(tx, workspaceId, tool, actor);
          const record = { workspaceId, actor, action: 'tool.changed' as const, target: id };
          await recordAudit(tx, clock, { ...record, details: { name: tool.name, version } });
        });
      return tool;
    },

    remove: (workspaceId, id, actor) =>
      store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          const tool = await tx
            .deleteFrom('tools')
            .where('workspace_id', '=', workspaceId)
            .where('id', '=', id)
            .returning('name')
            .executeTakeFirst();
          if (tool === undefined) throw unknownTool();
          // Whoever saves an agent holds its tools until then, so one that is saved right now is seen here.
          const users = await usersIn(tx, workspaceId, id).limit(20).execute();
          if (users.length > 0) {
            const names = users.map(({ name }) => name).join(', ');
            throw new Fault('conflict', `These agents use this tool: ${names}. Take it from them first.`, {
              details: { agents: users.map((each) => ({ id: each.id, name: each.name })) },
            });
          }
          const record = { workspaceId, actor, action: 'tool.deleted' as const, target: id };
          await recordAudit(tx, clock, { ...record, details: { name: tool.name } });
        }),

    run: async ({ endUserId: asked, ...request }) => {
      const { workspaceId, toolId } = request;
      const { version, inputs, steps } = await get(workspaceId, toolId);
      const input = await withIds(accounts, { workspaceId, endUserId: asked }, inputs, request.input);
      const values = readInputs(inputs, input);
      await refuseOthers(accounts, { workspaceId, endUserId: asked }, { inputs, values });
      const endUserId = asked ?? (await soleEndUser(accounts, workspaceId, { inputs, steps, values }));
      return runs.carryOut({ ...request, input, toolVersion: version, endUserId });
    },

    dryRun: async ({ workspaceId, actor, toolId, input, endUserId }) => {
      const { version, inputs } = await get(workspaceId, toolId);
      const tool = await versions.tool({ workspaceId, id: toolId, version });
      const known = await withIds(accounts, { workspaceId, endUserId }, inputs, input);
      return rehearseTool(options, { workspaceId, endUserId, isByModel: actor.via === 'mcp' }, tool, known);
    },
  };
};
