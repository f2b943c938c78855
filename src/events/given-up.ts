import { sql } from 'kysely';
import type { Occurrence } from '#kit';
import type { Store } from '#store';
import { diedWords } from './lapses.ts';
import type { SeenWatch } from './watch-reader.ts';

/** Leaves out what processes died with until it was given up: looks and services tell some things more than once. */
export const createUnlessGivenUp =
  (store: Store) =>
  async (watch: Pick<SeenWatch, 'id' | 'workspace_id'>, occurrences: readonly Occurrence[]): Promise<Occurrence[]> => {
    const { id, workspace_id: workspaceId } = watch;
    const named = occurrences.map(({ key, upstreamId = key }) => upstreamId);
    const { rows } = await sql<{ key: string }>`select key from events where workspace_id = ${workspaceId}
      and upstream_id = any(${named}::text[]) and watch_id = ${id} and reason = ${diedWords}`.execute(
      store.of(workspaceId),
    );
    const givenUp = new Set(rows.map(({ key }) => key));
    return occurrences.filter(({ key }) => !givenUp.has(key));
  };

export type UnlessGivenUp = ReturnType<typeof createUnlessGivenUp>;
