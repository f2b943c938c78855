import { sql } from 'kysely';
import type { Clock } from '#clock';
import { Fault } from '#kit';
import { type Actor, type Database, type RunStatus, type Store } from '#store';
import { stopped } from '#workspaces';
import type { Agents } from './agents/agents.ts';
import type { Execution } from './execution.ts';
import type { Leases } from './leases.ts';
import { draftRun, type RunRecords, type RunRow } from './run-records.ts';
import { holdSame, isOpen, triedAlready } from './same-again.ts';
import type { Starts } from './starts.ts';
import { readInputs } from './tools/inputs.ts';
import type { Tools } from './tools/tools.ts';

export type RetryRequest = {
  workspaceId: string;
  id: string;
  actor: Actor;
  /** Whether this caller may let a step or tool send without asking. */
  maySend: boolean;
  /** Although something of the first run may have happened. */
  evenIfUnknown: boolean;
  /** Although the first run did something outside, which is then done again. */
  evenIfDone: boolean;
};

/** Starts a run that failed or was cancelled anew: a run of its own with the same input, by what is in force now. */
export type Retry = (request: RetryRequest) => Promise<{ runId: string; status: RunStatus; retryOf: string }>;

type Write = { effect: string; method: string; path: string; state: string };

export const createRetry = (options: {
  store: Store;
  clock: Clock;
  records: Pick<RunRecords, 'insert' | 'row'>;
  leases: Pick<Leases, 'owner'>;
  execution: Pick<Execution, 'launch'>;
  starts: Pick<Starts, 'again'>;
  tools: Pick<Tools, 'get'>;
  agents: Pick<Agents, 'get'>;
}): Retry => {
  const { store, clock, records, leases, execution, starts, tools, agents } = options;

  const requireEnded = async (tx: Database, workspaceId: string, id: string): Promise<RunRow> => {
    const run = await tx
      .selectFrom('runs')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (run === undefined) throw new Fault('not_found', 'There is no such run.');
    const { status } = run;
    if (status === 'failed' || status === 'cancelled') return run;
    const why = status === 'succeeded' ? 'This run has succeeded' : 'This run has not ended yet';
    throw new Fault('conflict', `${why}; only one that failed or was cancelled can be tried again.`, {
      details: { status },
    });
  };

  /** Nothing is done twice unless whoever asks knows of it. */
  const refuseDoubles = async (tx: Database, asked: RetryRequest, ids: readonly string[]): Promise<void> => {
    const { rows } = await sql<{ of: string; write: Write }>`
      select run_id as of, json_build_object('effect', effect, 'method', method, 'path', path, 'state', state) as write from effects
      where workspace_id = ${asked.workspaceId} and run_id = any(${ids}::text[]) and state <> 'not_sent'
      order by run_id, ordinal limit 50`.execute(tx);
    const writes = rows.map(({ write }) => write);
    const unknown = writes.filter(({ state }) => state !== 'sent');
    const done = writes.filter(({ state }) => state === 'sent');
    const who = rows.every(({ of }) => of === asked.id) ? 'this run' : 'this run, or one that tries the same,';
    if (unknown.length > 0 && !asked.evenIfUnknown) {
      const message = `It is not known whether what ${who} wrote has happened. Look first; evenIfUnknown tries again all the same.`;
      throw new Fault('outcome_unknown', message, { details: { unknown } });
    }
    if (done.length > 0 && !asked.evenIfDone) {
      const message = `T${who.slice(1)} did ${done.length === 1 ? 'something' : `${done.length} things`} outside before it ended; trying again does it once more. Ask for it with evenIfDone.`;
      throw new Fault('conflict', message, { details: { done } });
    }
  };

  const unlessGone = <T>(what: string, look: Promise<T>): Promise<T> =>
    look.catch((error: unknown) => {
      if (!(error instanceof Fault) || error.code !== 'not_found') throw error;
      throw new Fault('conflict', `The ${what} of this run was deleted; it cannot be tried again.`);
    });

  const requireOpen = async (tx: Database, workspaceId: string): Promise<void> => {
    const { rows } = await sql`
      select from workspaces where workspace_id = ${workspaceId} and stopped_at is null`.execute(tx);
    if (rows.length === 0) throw stopped();
  };

  /** With its account goes what a run of a step was given. */
  const requireAccount = async ({ workspace_id: workspaceId, account_id: accountId }: RunRow): Promise<void> => {
    const account = await store
      .of(workspaceId)
      .selectFrom('accounts')
      .select('state')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', accountId)
      .executeTakeFirst();
    if (account !== undefined && account.state !== 'disconnected') return;
    throw new Fault('conflict', 'The account of this run was disconnected; it cannot be tried again.');
  };

  /** What the run is made of now, looked up before anything is held. */
  const presentOf = async (run: RunRow) => {
    const { workspace_id: workspaceId, agent_id: agentId, tool_id: toolId, input } = run;
    if (agentId !== null) {
      // An agent is given what happened or what somebody gave it, be it nothing.
      if (Object.keys(input).length === 0)
        throw new Fault('conflict', 'What this run was given was erased with its account; it cannot be tried again.');
      const agent = await unlessGone('agent', agents.get(workspaceId, agentId));
      if (agent.state === 'paused') throw new Fault('conflict', 'This agent is paused; enable it first.');
      return { agentVersion: agent.version };
    }
    if (toolId === null) {
      await requireAccount(run);
      return {};
    }
    const { version, inputs } = await unlessGone('tool', tools.get(workspaceId, toolId));
    readInputs(inputs, input);
    return { toolVersion: version };
  };

  return async (asked) => {
    const { workspaceId, id, actor } = asked;
    const known = await records.row(workspaceId, id);
    const present = known.status === 'failed' || known.status === 'cancelled' ? await presentOf(known) : {};
    const { run, taken, launch } = await store
      .of(workspaceId)
      .transaction()
      .execute(async (tx) => {
        const same = await holdSame(tx, workspaceId, { runId: id });
        const before = await requireEnded(tx, workspaceId, id);
        const other = same.find(isOpen);
        if (other !== undefined) throw triedAlready('This run', other);
        const ids = same.map((run) => run.id);
        await refuseDoubles(tx, asked, ids);
        await requireOpen(tx, workspaceId);
        if (present.agentVersion !== undefined) {
          const made = await starts.again(tx, before, { agentVersion: present.agentVersion, actor });
          return { run: made.started.run, taken: made.started.taken, launch: made.launch };
        }
        const { via } = before.started_by;
        const draft = draftRun(clock, {
          workspaceId,
          // What a model gave is not known to whoever tries it again.
          actor: via === undefined ? actor : { ...actor, via },
          ...(before.step_id === null ? {} : { stepId: before.step_id }),
          ...(before.account_id === null ? {} : { accountId: before.account_id }),
          ...(before.tool_id === null ? {} : { toolId: before.tool_id }),
          ...present,
          input: before.input,
          maySend: before.may_send && asked.maySend,
          retryOf: id,
          forAgent: before.for_agent ?? undefined,
          endUserId: before.end_user_id ?? undefined,
        });
        if (!(await records.insert(tx, draft, leases.owner))) throw stopped();
        return { run: draft, taken: true, launch: () => execution.launch(draft) };
      });
    launch();
    return { runId: run.id, status: taken ? 'running' : 'queued', retryOf: id };
  };
};
