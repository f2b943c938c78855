import { isDeepStrictEqual } from 'node:util';
import { sql, type Transaction } from 'kysely';
import type { Accounts } from '#accounts';
import type { Clock } from '#clock';
import { afterId, Fault, type NamedRequest, type Page, toPage, wrong } from '#kit';
import { type Actor, type AgentState, type Database, holds, newId, type Store, type Tables } from '#store';
import { recordAudit } from '#workspaces';
import type { CallOff } from '../call-off.ts';
import type { RunRecords } from '../run-records.ts';
import type { Starts } from '../starts.ts';
import type { ToolDefinition } from '../tools/definition.ts';
import type { Versions } from '../versions.ts';
import { type AgentActivity, createActivity } from './activity.ts';
import type { AgentDefinition } from './definition.ts';
import { endUserProblems, endUsersOf, soleEndUserOf } from './end-user-problems.ts';
import type { HouseOf } from './model/endpoint.ts';
import { type StartByHand, startByHand } from './start-by-hand.ts';
import { validateAgent } from './validate-agent.ts';
import type { AgentSecrets } from './webhook/agent-secrets.ts';

export type Agent = AgentDefinition & {
  id: string;
  state: AgentState;
  version: number;
  createdAt: Date;
  updatedAt: Date;
};

/** With the secret that its requests are signed with, if one was just made. */
export type SavedAgent = Agent & { secret?: string };

export type AgentChange = Partial<AgentDefinition> & { state?: AgentState | undefined };

/** Of those alone that are in this state. */
export type AgentsRequest = NamedRequest & { state?: AgentState | undefined };

/** Agents. Each change of what they do makes a new version, what is saved as it was does not; runs keep the one they began with. */
export type Agents = {
  list(workspaceId: string, page: AgentsRequest): Promise<Page<Agent>>;
  /** The same, each with what stands beside it. */
  listActive(workspaceId: string, page: AgentsRequest): Promise<Page<Agent & { activity: AgentActivity }>>;
  get(workspaceId: string, id: string): Promise<Agent>;
  create(workspaceId: string, agent: AgentDefinition, actor: Actor): Promise<SavedAgent>;
  /** Refused when the agent is not at the `expected` version any more. */
  change(workspaceId: string, id: string, change: AgentChange, actor: Actor, expected?: number): Promise<SavedAgent>;
  /** A new secret for an agent on another platform; for a day requests are signed with both. */
  rotate(workspaceId: string, id: string, actor: Actor): Promise<SavedAgent>;
  /** Its triggers go with it, and its runs that have not begun are cancelled. */
  remove(workspaceId: string, id: string, actor: Actor): Promise<void>;
  start: StartByHand;
  /** Holds an agent as it is until its trigger is saved; refused when it could not run for the one whose account is watched. */
  holdFor(tx: Database, agent: { workspaceId: string; id: string; endUserId: string | undefined }): Promise<void>;
};

type Row = {
  id: string;
  state: AgentState;
  version: number;
  created_at: Date;
  updated_at: Date;
  definition: unknown;
};

const show = (row: Row): Agent => ({
  id: row.id,
  ...(row.definition as AgentDefinition),
  state: row.state,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const definitionOf = ({ name, instructions, concurrency, tools, runner }: AgentDefinition): AgentDefinition => ({
  name,
  instructions,
  ...(concurrency ? { concurrency } : {}),
  tools,
  runner,
});

/** As it is stored. */
const asJson = (agent: AgentDefinition): unknown => JSON.parse(JSON.stringify(definitionOf(agent)));

const unknownAgent = () => new Fault('not_found', 'There is no such agent.');

export const createAgents = (options: {
  store: Store;
  clock: Clock;
  accounts: Accounts;
  versions: Versions;
  records: RunRecords;
  starts: Starts;
  houseOf: HouseOf;
  secrets: AgentSecrets;
  addressProblem: (url: string) => string | undefined;
  callOff: CallOff;
}): Agents => {
  const { store, clock, accounts, versions, records, starts, houseOf, secrets, addressProblem, callOff } = options;

  const activityOf = createActivity(store);

  const find = (db: Database, workspaceId: string) =>
    db
      .selectFrom('agents')
      .innerJoin('agent_versions as v', (join) =>
        join
          .onRef('v.workspace_id', '=', 'agents.workspace_id')
          .onRef('v.agent_id', '=', 'agents.id')
          .onRef('v.version', '=', 'agents.version'),
      )
      .select(['agents.id', 'state', 'agents.version', 'agents.created_at', 'updated_at', 'v.definition'])
      .where('agents.workspace_id', '=', workspaceId);

  const get = async (workspaceId: string, id: string): Promise<Agent> => {
    const row = await find(store.of(workspaceId), workspaceId).where('agents.id', '=', id).executeTakeFirst();
    if (row === undefined) throw unknownAgent();
    return show(row);
  };

  const list: Agents['list'] = async (workspaceId, page) => {
    const after = afterId('agt', page);
    const rows = await find(store.of(workspaceId), workspaceId)
      .$if(after !== undefined, (query) => query.where('agents.id', '<', after as string))
      .$if(page.query !== undefined, (query) => query.where(holds(sql.ref('agents.name'), page.query as string)))
      .$if(page.state !== undefined, (query) => query.where('state', '=', page.state as AgentState))
      .orderBy('agents.id', 'desc')
      .limit(page.limit + 1)
      .execute();
    return toPage(rows, page, show);
  };

  /** The tools an agent names, held until it is saved so that none is deleted meanwhile. */
  const holdTools = async (tx: Database, workspaceId: string, ids: readonly string[]) => {
    const { rows } = await sql<{ id: string; definition: ToolDefinition }>`
      select t.id, v.definition from tools t
        join tool_versions v on (v.workspace_id, v.tool_id, v.version) = (t.workspace_id, t.id, t.version)
      where t.workspace_id = ${workspaceId} and t.id = any(${[...ids]}) order by t.id for key share of t`.execute(tx);
    return new Map(rows.map(({ id, definition }) => [id, definition]));
  };

  const holdFor: Agents['holdFor'] = async (tx, { workspaceId, id, endUserId }) => {
    const held = tx
      .selectFrom('agents')
      .select('tool_ids')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id);
    const agent = await held.forShare().executeTakeFirst();
    if (agent === undefined) throw unknownAgent();
    if (endUserId === undefined) return;
    // First held, then read: what was waited for is another version.
    await sql`select id from tools where workspace_id = ${workspaceId} and id = any(${agent.tool_ids}) order by id for share`.execute(
      tx,
    );
    const row = await find(tx, workspaceId).where('agents.id', '=', id).executeTakeFirstOrThrow();
    const tools = await holdTools(tx, workspaceId, agent.tool_ids);
    const [problem] = await endUserProblems({ tx, accounts, workspaceId }, show(row), tools, [endUserId]);
    if (problem === undefined) return;
    const message = `The agent is fixed to an account of another end user (${problem.field}), which its runs for this one could not use.`;
    throw wrong('accountId', message);
  };

  const save = async (
    tx: Transaction<Tables>,
    workspaceId: string,
    agent: Agent,
    actor: Actor,
    write: (values: { name: string; version: number; tool_ids: string[]; updated_at: Date }) => Promise<void>,
  ): Promise<SavedAgent> => {
    const toolIds = agent.tools.map(({ toolId }) => toolId);
    await validateAgent(
      { tx, accounts, workspaceId, models: await houseOf(workspaceId, tx), addressProblem },
      agent,
      await holdTools(tx, workspaceId, toolIds),
      await endUsersOf(tx, workspaceId, agent.id),
    );
    const { id, name, version, updatedAt } = agent;
    await write({ name, version, tool_ids: toolIds, updated_at: updatedAt });
    await tx
      .insertInto('agent_versions')
      .values({
        workspace_id: workspaceId,
        agent_id: id,
        version,
        definition: JSON.stringify(definitionOf(agent)),
        made_by: JSON.stringify(actor),
        created_at: updatedAt,
      })
      .execute();
    const secret = agent.runner.type === 'webhook' ? await secrets.ensure(tx, { workspaceId, id }) : undefined;
    return secret === undefined ? agent : { ...agent, secret };
  };

  return {
    get,
    holdFor,

    list,

    listActive: async (workspaceId, page) => {
      const { items, ...rest } = await list(workspaceId, page);
      const activities = await activityOf(
        workspaceId,
        items.map(({ id }) => id),
      );
      return {
        items: items.flatMap((agent) => {
          const activity = activities.get(agent.id);
          return activity === undefined ? [] : [{ ...agent, activity }];
        }),
        ...rest,
      };
    },

    create: async (workspaceId, definition, actor) => {
      const at = clock.now();
      const about = { state: 'enabled' as const, version: 1, createdAt: at, updatedAt: at };
      const agent: Agent = { id: newId('agt', at), ...definition, ...about };
      return store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          const { id, state, name } = agent;
          const saved = await save(tx, workspaceId, agent, actor, async (values) => {
            await tx
              .insertInto('agents')
              .values({ id, workspace_id: workspaceId, state, created_at: at, ...values })
              .execute();
          });
          await recordAudit(tx, clock, { workspaceId, actor, action: 'agent.created', target: id, details: { name } });
          return saved;
        });
    },

    change: async (workspaceId, id, { state, ...change }, actor, expected) => {
      const before = await get(workspaceId, id);
      if (expected !== undefined && expected !== before.version) {
        const words = `The agent was changed meanwhile; it is at version ${before.version} now. Look at it again.`;
        throw new Fault('conflict', words, { details: { version: before.version } });
      }
      const isNew = !isDeepStrictEqual(asJson({ ...before, ...change }), asJson(before));
      if (!isNew && (state ?? before.state) === before.state) return before;
      const version = before.version + (isNew ? 1 : 0);
      const agent: Agent = { ...before, ...change, state: state ?? before.state, version, updatedAt: clock.now() };
      return store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          // A trigger that is being made for it is seen below.
          const held = tx
            .selectFrom('agents')
            .select('id')
            .where('workspace_id', '=', workspaceId)
            .where('id', '=', id);
          await held.forNoKeyUpdate().execute();
          const write = async (
            values: Partial<{ name: string; version: number; tool_ids: string[]; updated_at: Date }>,
          ) => {
            const { numUpdatedRows } = await tx
              .updateTable('agents')
              .set({ ...values, state: agent.state, updated_at: agent.updatedAt })
              .where('workspace_id', '=', workspaceId)
              .where('id', '=', id)
              .where('version', '=', before.version)
              .executeTakeFirst();
            if (numUpdatedRows === 0n)
              throw new Fault('conflict', 'The agent was changed meanwhile; look at it again.');
          };
          const saved = isNew ? await save(tx, workspaceId, agent, actor, write) : agent;
          if (!isNew) await write({});
          const record = { workspaceId, actor, action: 'agent.changed' as const, target: id };
          await recordAudit(tx, clock, { ...record, details: { name: agent.name, version, state: agent.state } });
          return saved;
        });
    },

    rotate: async (workspaceId, id, actor) => {
      const agent = await get(workspaceId, id);
      if (agent.runner.type !== 'webhook') {
        throw new Fault('conflict', 'Only an agent with a runner of type "webhook" has a secret.');
      }
      return store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          const secret = await secrets.rotate(tx, { workspaceId, id });
          await recordAudit(tx, clock, { workspaceId, actor, action: 'agent.secret_rotated', target: id });
          return { ...agent, secret };
        });
    },

    remove: (workspaceId, id, actor) =>
      store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          const agent = await tx
            .deleteFrom('agents')
            .where('workspace_id', '=', workspaceId)
            .where('id', '=', id)
            .returning('name')
            .executeTakeFirst();
          if (agent === undefined) throw unknownAgent();
          // What has begun goes on to its end.
          await callOff.within(tx, { workspaceId, agentId: id }, 'The agent was deleted before this run began.');
          const record = { workspaceId, actor, action: 'agent.deleted' as const, target: id };
          await recordAudit(tx, clock, { ...record, details: { name: agent.name } });
        }),

    start: startByHand({
      store,
      accounts,
      versions,
      records,
      starts,
      get,
      endUserOf: async (tx, { workspaceId, input }, agent) => {
        const toolIds = agent.tools.map(({ toolId }) => toolId);
        const tools = await holdTools(tx, workspaceId, toolIds);
        return soleEndUserOf({ tx, accounts, workspaceId }, agent, tools, input);
      },
    }),
  };
};
