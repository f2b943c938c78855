import { sql } from 'kysely';
import type { Clock } from '#clock';
import { Fault, type FileRef, type Files, type NewFile } from '#kit';
import { newId, type Store } from '#store';

/** How long a file may take to come. */
const comingMs = 60 * 60 * 1000;
/** Four times 320 KiB, the unit in which the mail service takes uploads; the migration that cut older files knows it too. */
export const partBytes = 1_310_720;
/** As large as an attachment of the mail service can be. */
export const maxFileBytes = 150 * 1024 * 1024;
const maxWholeBytes = 16 * 1024 * 1024;

/** What a file is for, where there is to be only one for it. */
type GatheredFor = { workspaceId: string; gatheredFor: string };

export type FileStore = {
  /**
   * The files of one workspace, as steps see them. What is stored comes from this account, if from one. For an end user,
   * files that came from the accounts of others are not there.
   */
  of(workspaceId: string, by?: { accountId: string; endUserId: string | undefined }): Files;
  /** What was stored for this before, if it was; and a file that is stored for it, unless another one is by then. */
  gathered(where: GatheredFor): Promise<FileRef | undefined>;
  gather(where: GatheredFor & { accountId: string }, file: { name: string; contentType: string }): NewFile;
  sweep(): Promise<void>;
};

const tooLarge = (most: number) =>
  new Fault('too_large', `A file may have at most ${most / 1024 / 1024} MB; use a smaller one.`);
const gone = () =>
  new Fault(
    'not_found',
    'There is no such file; give the ref that Get Attachment or POST /v1/files answered. Files are kept for 7 days, unless the settings say otherwise.',
  );

const isDuplicate = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '23505';

const isOfNobodyElse = (endUserId: string | undefined) => sql<boolean>`not exists (
  select from accounts a
  where a.workspace_id = files.workspace_id and a.id = files.account_id and a.end_user_id <> ${endUserId})`;

/** What waits for a person, or goes on after that, keeps the files it was asked with: they are what was decided about. */
const needed = sql`select a.workspace_id, mentioned[1] as id from runs r
  join approvals a on a.workspace_id = r.workspace_id and a.run_id = r.id and a.status in ('pending', 'approved')
  cross join lateral regexp_matches(a.input::text, 'file_[0-9a-z]{26}', 'g') mentioned
  where r.status in ('queued', 'running', 'waiting_approval')`;

/** Each may have very many parts, and all of a workspace are due when it keeps them for less. */
const sweptAtOnce = 1_000;

/** Those whose time is over, so many of them. */
export const removeExpired = (now: Date, most: number) => sql`
  delete from files where id in (
    select f.id from files f join workspaces w on w.workspace_id = f.workspace_id
    where least(f.expires_at, f.created_at + w.keep_file_days * interval '1 day') < ${now}
      and not exists (select from (${needed}) n where n.workspace_id = f.workspace_id and n.id = f.id)
    limit ${most}
  ) returning 1`;

/** Attachments kept for a while and mentioned by reference. */
export const createFiles = ({ store, clock }: { store: Store; clock: Clock }): FileStore => {
  const create = (
    { workspaceId, accountId, gatheredFor }: { workspaceId: string; accountId: string | null; gatheredFor?: string },
    { name, contentType }: { name: string; contentType: string },
  ): NewFile => {
    const db = store.of(workspaceId);
    const createdAt = clock.now();
    const ref = newId('file', createdAt);
    const coming = new Date(createdAt.getTime() + comingMs);
    const kept = sql<Date>`(
      select ${createdAt}::timestamptz + keep_file_days * interval '1 day' from workspaces where workspace_id = ${workspaceId}
    )`;
    let size = 0;
    let parts = 0;
    let pending: Uint8Array[] = [];
    let pendingBytes = 0;

    const row = (complete: boolean) => sql`
      insert into files (id, workspace_id, name, content_type, size, complete, created_at, expires_at, account_id, gathered_for)
      values (${ref}, ${workspaceId}, ${name}, ${contentType}, ${size}, ${complete}, ${createdAt},
        ${complete ? kept : coming}, ${accountId}, ${complete ? (gatheredFor ?? null) : null})`;
    const part = (bytes: Buffer) => sql`
      insert into file_parts (workspace_id, file_id, seq, bytes) values (${workspaceId}, ${ref}, ${parts}, ${bytes})`;

    /** A small file is stored at one stroke; a larger one is begun with its first part. */
    const put = async (bytes: Buffer, complete: boolean): Promise<void> => {
      const first = parts === 0 ? sql`with begun as (${row(complete)})` : sql``;
      await sql`${first} ${part(bytes)}`.execute(db);
      parts += 1;
    };

    return {
      write: async (chunk) => {
        size += chunk.byteLength;
        if (size > maxFileBytes) throw tooLarge(maxFileBytes);
        pending.push(chunk);
        pendingBytes += chunk.byteLength;
        if (pendingBytes < partBytes) return;
        let bytes = Buffer.concat(pending);
        pending = [];
        for (; bytes.length >= partBytes; bytes = bytes.subarray(partBytes)) {
          await put(bytes.subarray(0, partBytes), false);
        }
        pending = [bytes];
        pendingBytes = bytes.length;
      },
      keep: async (): Promise<FileRef> => {
        const small = parts === 0;
        if (pendingBytes > 0) await put(Buffer.concat(pending), small);
        else if (small) await row(true).execute(db);
        if (!small) {
          const { numUpdatedRows } = await db
            .updateTable('files')
            .set({ size, complete: true, expires_at: kept, gathered_for: gatheredFor ?? null })
            .where('workspace_id', '=', workspaceId)
            .where('id', '=', ref)
            .executeTakeFirst();
          if (numUpdatedRows === 0n) throw new Fault('too_large', 'The file took too long to come; send it again.');
        }
        return { ref, name, contentType, size };
      },
    };
  };

  const gathered: FileStore['gathered'] = async ({ workspaceId, gatheredFor }) => {
    const row = await store
      .of(workspaceId)
      .selectFrom('files')
      .select(['id', 'name', 'content_type', 'size'])
      .where('workspace_id', '=', workspaceId)
      .where('gathered_for', '=', gatheredFor)
      .executeTakeFirst();
    return row === undefined
      ? undefined
      : { ref: row.id, name: row.name, contentType: row.content_type, size: row.size };
  };

  const of: FileStore['of'] = (workspaceId, by) => {
    const { accountId = null, endUserId } = by ?? {};
    const about: Files['about'] = async (ref) => {
      const row = await store
        .of(workspaceId)
        .selectFrom('files')
        .select(['name', 'content_type', 'size'])
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', ref)
        .where('complete', '=', true)
        .where(sql<boolean>`(expires_at > ${clock.now()} or (workspace_id, id) in (${needed}))`)
        .$if(endUserId !== undefined, (query) => query.where(isOfNobodyElse(endUserId)))
        .executeTakeFirst();
      if (row === undefined) throw gone();
      return { ref, name: row.name, contentType: row.content_type, size: row.size };
    };

    const slice: Files['slice'] = async (ref, from, to) => {
      const first = Math.floor(from / partBytes);
      const rows = await store
        .of(workspaceId)
        .selectFrom('file_parts')
        .select('bytes')
        .where('workspace_id', '=', workspaceId)
        .where('file_id', '=', ref)
        .where('seq', '>=', first)
        .where('seq', '<', Math.ceil(to / partBytes))
        .orderBy('seq')
        .execute();
      const start = from - first * partBytes;
      const parts = rows.map(({ bytes }) => bytes);
      const [only] = parts;
      const bytes = only !== undefined && parts.length === 1 ? only : Buffer.concat(parts);
      if (bytes.length < start + to - from) throw gone();
      return bytes.subarray(start, start + to - from);
    };

    return {
      about,
      slice,
      read: async (ref) => {
        const file = await about(ref);
        if (file.size > maxWholeBytes) throw tooLarge(maxWholeBytes);
        return { ...file, bytes: await slice(ref, 0, file.size) };
      },
      store: async ({ bytes, ...file }) => {
        const made = create({ workspaceId, accountId }, file);
        await made.write(bytes);
        return made.keep();
      },
      create: (file) => create({ workspaceId, accountId }, file),
    };
  };

  return {
    of,
    gathered,
    gather: (where, file) => {
      const made = create(where, file);
      return {
        write: made.write,
        keep: () =>
          made.keep().catch(async (error: unknown) => {
            const earlier = isDuplicate(error) ? await gathered(where) : undefined;
            if (earlier === undefined) throw error;
            return earlier;
          }),
      };
    },
    sweep: async () => {
      for (let removed = sweptAtOnce; removed === sweptAtOnce; )
        removed = (await removeExpired(clock.now(), sweptAtOnce).execute(store.system)).rows.length;
    },
  };
};
