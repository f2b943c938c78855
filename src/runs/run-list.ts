import { sql } from 'kysely';
import {
  afterId,
  type Catalogue,
  lookThrough,
  type Page,
  type PageRequest,
  type Stretch,
  searching,
  toPage,
} from '#kit';
import { firstIdAt, holdsWords, lastOfStretch, type RunStatus, readableJson, type Store } from '#store';
import { listed, type RunSummary, summarize } from './run-summary.ts';

export type RunFilter = {
  status?: RunStatus | undefined;
  agentId?: string | undefined;
  toolId?: string | undefined;
  endUserId?: string | undefined;
  /** Begun at this moment or later, and before that one. */
  from?: Date | undefined;
  to?: Date | undefined;
  /** Its words, each in what lists tell of it. */
  query?: string | undefined;
};

export type RunList = (workspaceId: string, filter: RunFilter, page: PageRequest) => Promise<Page<RunSummary>>;

/**
 * What a row of the list says: what ran, who or what started it, and why it failed. Each name is looked up by its id, never
 * the other way round: among many events a join would read them all.
 */
export const toldBy = (titles: string) => sql<string>`concat_ws(' ',
  (select a.name from agents a where a.workspace_id = runs.workspace_id
    -- Behind the walls between workspaces, what holds a coalesce is looked up by no index.
    and a.id = case when runs.agent_id is null then runs.for_agent else runs.agent_id end),
  (select t.name from tools t where t.workspace_id = runs.workspace_id and t.id = runs.tool_id),
  step_id, ${titles}::jsonb ->> step_id, started_by ->> 'name',
  (select t.name from triggers t where t.workspace_id = runs.workspace_id and t.id = runs.trigger_id),
  (select concat_ws(' ', e.summary, e.actor ->> 'name', e.actor ->> 'id') from events e
    where e.workspace_id = runs.workspace_id and e.id = runs.event_id),
  ${readableJson(sql.ref('error'))} ->> 'message')`;

export const createRunList = (
  { store, catalogue }: { store: Store; catalogue: Pick<Catalogue, 'steps'> },
  { stretch, patienceMs } = searching,
): RunList => {
  const titles = JSON.stringify(Object.fromEntries(catalogue.steps.map(({ id, title }) => [id, title])));

  return async (workspaceId, { status, agentId, toolId, endUserId, from, to, query: words }, page) => {
    const earliest = from && firstIdAt('run', from);
    const [after] = [afterId('run', page), to && firstIdAt('run', to)].filter((id) => id !== undefined).toSorted();
    const runs = ({ first = earliest, after: end }: Stretch) =>
      store
        .of(workspaceId)
        .selectFrom('runs')
        .where('workspace_id', '=', workspaceId)
        .$if(status !== undefined, (query) => query.where('status', '=', status as RunStatus))
        .$if(agentId !== undefined, (query) =>
          query.where((eb) => eb.or([eb('agent_id', '=', agentId as string), eb('for_agent', '=', agentId as string)])),
        )
        .$if(toolId !== undefined, (query) => query.where('tool_id', '=', toolId as string))
        .$if(endUserId !== undefined, (query) => query.where('end_user_id', '=', endUserId as string))
        .$if(first !== undefined, (query) => query.where('id', '>=', first as string))
        .$if(end !== undefined, (query) => query.where('id', '<', end as string))
        .orderBy('id', 'desc');
    const find = (within: Stretch, most: number) =>
      runs(within)
        .select(listed)
        .$if(words !== undefined, (query) => query.where(holdsWords(toldBy(titles), words as string)))
        .limit(most)
        .execute();
    if (words === undefined) return toPage(await find({ first: earliest, after }, page.limit + 1), page, summarize);
    const endOf = async (end: string | undefined) => {
      const rest = runs({ first: earliest, after: end }).select('id');
      return (await lastOfStretch(rest, stretch))?.id;
    };
    return lookThrough(page, { after, endOf, find, patienceMs }, summarize);
  };
};
