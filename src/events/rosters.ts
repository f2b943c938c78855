import { sql } from 'kysely';
import type { Catalogue, CatalogueTrigger } from '#kit';
import type { Log } from '#log';
import type { Store, TriggerState } from '#store';
import { type Likely, likelyAmong } from './likely.ts';
import { type PassedPause, passedPauses } from './passed-pauses.ts';
import type { SeenWatch } from './watch-reader.ts';

/** A trigger as judging needs it. */
export type ListedTrigger = {
  id: string;
  name: string;
  workspaceId: string;
  agentId: string;
  state: TriggerState;
  since: Date;
  /** Where it is paused, since when. */
  pausedAt: Date;
  /** Before that, those that were not caught up with. */
  passed: readonly PassedPause[];
  definition: CatalogueTrigger;
  config: unknown;
  /** Whether what was done through us starts nothing. */
  ignoresSelf: boolean;
};

/** Everyone who waits for what a watch sees. */
export type Roster = {
  /** Also of those that do not fit their kind any more. */
  ids: ReadonlySet<string>;
  triggers: readonly ListedTrigger[];
  /** The kinds of triggers among them. */
  names: ReadonlySet<string>;
  likely: Likely;
};

export type Rosters = {
  of(watch: Pick<SeenWatch, 'id' | 'workspace_id' | 'roster'>): Promise<Roster>;
};

type Row = {
  id: string;
  name: string;
  workspace_id: string;
  agent_id: string;
  type: string;
  config: Record<string, unknown>;
  state: TriggerState;
  since: Date;
  paused_at: Date;
  passed: { whose: PassedPause['whose']; from: string; until: string }[] | null;
};

const remembered = 20_000;

/** A roster never changes under its number, so it is kept; the number is read with the watch each time. */
export const createRosters = (options: { store: Store; catalogue: Catalogue; log: Log }): Rosters => {
  const { store, catalogue, log } = options;
  const known = new Map<string, { number: number; roster: Promise<Roster> }>();

  const list = (row: Row): ListedTrigger[] => {
    const definition = catalogue.trigger(row.type);
    const parsed = definition?.config.safeParse(row.config);
    if (definition === undefined || parsed === undefined || !parsed.success) {
      log.warn({ triggerId: row.id, type: row.type }, 'a trigger does not fit its kind any more');
      return [];
    }
    const { id, name, workspace_id: workspaceId, agent_id: agentId, state, since, paused_at: pausedAt } = row;
    const passed = (row.passed ?? []).map((pause) => ({
      whose: pause.whose,
      from: new Date(pause.from),
      until: new Date(pause.until),
    }));
    const { data: config } = parsed;
    const ignoresSelf = config['ignoreSelf'] !== false;
    return [{ id, name, workspaceId, agentId, state, since, pausedAt, passed, definition, config, ignoresSelf }];
  };

  const read = async (watch: Pick<SeenWatch, 'id' | 'workspace_id'>): Promise<Roster> => {
    const { rows } = await sql<Row>`
      select t.id, t.name, t.workspace_id, t.agent_id, t.type, t.config, t.state, l.since,
        coalesce(t.paused_at, t.created_at) as paused_at, ${passedPauses} as passed
      from trigger_watches l join triggers t on t.workspace_id = l.workspace_id and t.id = l.trigger_id
      where l.workspace_id = ${watch.workspace_id} and l.watch_id = ${watch.id}
      order by t.id`.execute(store.of(watch.workspace_id));
    const triggers = rows.flatMap(list);
    return {
      ids: new Set(rows.map(({ id }) => id)),
      triggers,
      names: new Set(triggers.map(({ definition }) => definition.name)),
      likely: likelyAmong(triggers),
    };
  };

  return {
    of: (watch) => {
      const kept = known.get(watch.id);
      if (kept?.number === watch.roster) return kept.roster;
      if (known.size >= remembered) known.clear();
      const roster = read(watch);
      known.set(watch.id, { number: watch.roster, roster });
      roster.catch(() => known.delete(watch.id));
      return roster;
    },
  };
};
