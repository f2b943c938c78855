import type { Clock } from '#clock';
import { Fault, type FileRef, type Files } from '#kit';
import { newId, type Store } from '#store';

const keptMs = 7 * 24 * 60 * 60 * 1000;

export type FileStore = {
  /** The files of one workspace, as steps see them. */
  of(workspaceId: string): Files;
  sweep(): Promise<void>;
};

/** Attachments kept for a while and mentioned by reference. */
export const createFiles = ({ store, clock }: { store: Store; clock: Clock }): FileStore => ({
  of: (workspaceId) => ({
    store: async ({ name, contentType, bytes }): Promise<FileRef> => {
      const createdAt = clock.now();
      const ref = newId('file', createdAt);
      await store
        .of(workspaceId)
        .insertInto('files')
        .values({
          id: ref,
          workspace_id: workspaceId,
          name,
          content_type: contentType,
          size: bytes.length,
          bytes,
          created_at: createdAt,
          expires_at: new Date(createdAt.getTime() + keptMs),
        })
        .execute();
      return { ref, name, contentType, size: bytes.length };
    },
    read: async (ref) => {
      const row = await store
        .of(workspaceId)
        .selectFrom('files')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', ref)
        .where('expires_at', '>', clock.now())
        .executeTakeFirst();
      if (row === undefined) throw new Fault('not_found', 'There is no such file; files are kept for 7 days.');
      return { ref, name: row.name, contentType: row.content_type, size: row.size, bytes: row.bytes };
    },
  }),
  sweep: async () => {
    await store.system.deleteFrom('files').where('expires_at', '<', clock.now()).execute();
  },
});
