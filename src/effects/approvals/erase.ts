import { sql } from 'kysely';
import type { Database } from '#store';

const said = 'The account was disconnected; what this held was erased.';

/** An account may have very many, each may be long, and no statement may take long. */
const atOnce = 500;

type Last = { status: string; id: string };

/** In the order of their index. */
const eraseNext = (where: { workspaceId: string; accountId: string }, after: Last, most: number) => sql<Last>`
  with part as (
    select a.status, a.id from approvals a
    where a.workspace_id = ${where.workspaceId} and a.account_id = ${where.accountId}
      and (a.status, a.id) > (${after.status}, ${after.id})
    order by a.status, a.id limit ${most}
  ), erased as (
    update approvals a set input = '{}',
      requests = (
        select json_agg(json_build_object('method', e ->> 'method', 'path', '/')) from json_array_elements(a.requests) e
      ),
      view = json_build_object('kind', a.view ->> 'kind', 'to', '[]'::json, 'cc', '[]'::json, 'bcc', '[]'::json,
        'replyTo', '[]'::json, 'attachments', '[]'::json, 'fields', '{}'::json, 'warnings', json_build_array(${said}::text)),
      headline = json_build_object('kind', a.view ->> 'kind', 'to', '[]'::json, 'cc', '[]'::json, 'bcc', '[]'::json,
        'attachments', 0, 'warnings', 1)
    from part where a.workspace_id = ${where.workspaceId} and a.id = part.id and (
      a.status <> 'approved' or exists (
        select from runs r where r.workspace_id = a.workspace_id and r.id = a.run_id and r.finished_at is not null
      )
    )
  )
  select status, id from part order by status desc, id desc limit 1`;

/**
 * Erases what approvals of an account hold of it. That they were asked for, and how they were decided, stays. One that was
 * approved and whose run has not ended is left as it is: the run needs it to find out how it ended.
 */
export const eraseApprovals = async (
  db: Database,
  where: { workspaceId: string; accountId: string },
  most: number = atOnce,
): Promise<void> => {
  for (let last: Last | undefined = { status: '', id: '' }; last !== undefined; )
    last = (await eraseNext(where, last, most).execute(db)).rows[0];
};
