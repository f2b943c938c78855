import { CompiledQuery, sql } from 'kysely';
import type { Clock } from '#clock';
import type { Executor } from '#jobs';
import { type Database, freshMs, newId, type Store } from '#store';
import { type EventType, type Notice, noticeTypes } from './notice-types.ts';

/** Which webhook has something waiting. */
export type Waiting = { workspaceId: string; webhookId: string };

/** Calls for deliveries, in the caller's transaction if there is one. */
export type Announce = (
  waiting: readonly (Waiting & { afterMs?: number | undefined; key?: string | undefined })[],
  tx?: Database,
) => Promise<void>;

/** Tells about something in the transaction in which it happens: both stand or fall together. */
export type Emit = (tx: Database, notices: Notice | readonly Notice[]) => Promise<void>;

export const within = (tx: Database): Executor => ({
  executeSql: async (text, values) => tx.executeQuery(CompiledQuery.raw(text, values)),
});

/** Stores notices and their deliveries; answers the deliveries. */
export const addNotices = async (
  tx: Database,
  clock: Clock,
  given: readonly { notice: Notice; webhookIds: readonly string[] }[],
) => {
  const createdAt = clock.now();
  const notices = given.map(({ notice: { workspaceId, type, data } }) => ({
    id: newId('ntc', createdAt),
    workspace_id: workspaceId,
    created_at: createdAt,
    type,
    // Parsed, so that nothing leaves that the table of types does not name.
    data: JSON.stringify(noticeTypes[type].data.parse(data)),
  }));
  const deliveries = notices.flatMap(({ id, workspace_id }, at) =>
    (given[at]?.webhookIds ?? []).map((webhookId) => ({
      id: newId('dlv', createdAt),
      workspace_id,
      created_at: createdAt,
      kind: 'webhook' as const,
      webhook_id: webhookId,
      notice_id: id,
    })),
  );
  await tx.insertInto('notices').values(notices).execute();
  await tx.insertInto('notice_deliveries').values(deliveries).execute();
  return deliveries;
};

export const createEmit =
  ({ clock, announce }: { clock: Clock; announce: Announce }): Emit =>
  async (tx, given) => {
    const notices: readonly Notice[] = 'type' in given ? [given] : given;
    if (notices.length === 0) return;
    const webhooks = await tx
      .selectFrom('webhooks')
      .select(['id', 'workspace_id', 'events'])
      .where('workspace_id', 'in', [...new Set(notices.map(({ workspaceId }) => workspaceId))])
      .where('state', '=', 'enabled')
      // None is deleted before this is committed: what happened must not fail for want of a listener.
      .forKeyShare()
      .execute();
    const told = notices.flatMap((notice) => {
      const wanting = webhooks.filter(
        ({ workspace_id, events }) => workspace_id === notice.workspaceId && events.includes(notice.type),
      );
      return wanting.length === 0 ? [] : [{ notice, webhookIds: wanting.map(({ id }) => id) }];
    });
    if (told.length === 0) return;
    const deliveries = await addNotices(tx, clock, told);
    const waiting = new Map(
      deliveries.map(({ workspace_id: workspaceId, webhook_id: webhookId }) => [webhookId, { workspaceId, webhookId }]),
    );
    await announce([...waiting.values()], tx);
  };

/** What happens so often that only now and then is looked up who wants to know of it. */
export const lookedUp = ['run.finished', 'event.fired'] as const satisfies readonly EventType[];
type LookedUp = (typeof lookedUp)[number];

/** Whether anybody in these workspaces wants to know of such things. Half a second behind, and cheap. */
export type Wanted = (type: LookedUp, workspaceIds: readonly string[]) => Promise<boolean>;

export const createWanted = ({ store }: { store: Store }): Wanted => {
  const looks = new Map<LookedUp, { at: number; workspaces: Promise<ReadonlySet<string>> }>();
  const look = async (type: LookedUp): Promise<ReadonlySet<string>> => {
    // Of all workspaces, because those who ask work for several at once.
    const rows = await store.system
      .selectFrom('webhooks')
      .select('workspace_id')
      .distinct()
      .where('state', '=', 'enabled')
      .where(sql<boolean>`${type} = any(events)`)
      .execute();
    return new Set(rows.map(({ workspace_id }) => workspace_id));
  };
  return async (type, workspaceIds) => {
    const now = performance.now();
    let known = looks.get(type);
    if (known === undefined || now - known.at > freshMs) {
      known = { at: now, workspaces: look(type) };
      looks.set(type, known);
      // A look that failed is no answer for those who come after.
      known.workspaces.catch(() => looks.delete(type));
    }
    const workspaces = await known.workspaces;
    return workspaceIds.some((id) => workspaces.has(id));
  };
};
