import { sql } from 'kysely';
import type { Database } from '#store';

const said = 'The account was disconnected; what this held was erased.';

/**
 * Erases what approvals of an account hold of it. That they were asked for, and how they were decided, stays. One that was
 * approved and whose run has not ended is left as it is: the run needs it to find out how it ended.
 */
export const eraseApprovals = async (tx: Database, workspaceId: string, accountId: string): Promise<void> => {
  await sql`
    update approvals a set input = '{}',
      requests = (
        select json_agg(json_build_object('method', e ->> 'method', 'path', '/')) from json_array_elements(a.requests) e
      ),
      view = json_build_object('kind', a.view ->> 'kind', 'to', '[]'::json, 'cc', '[]'::json, 'bcc', '[]'::json,
        'replyTo', '[]'::json, 'attachments', '[]'::json, 'fields', '{}'::json, 'warnings', json_build_array(${said}::text)),
      headline = json_build_object('kind', a.view ->> 'kind', 'to', '[]'::json, 'cc', '[]'::json, 'bcc', '[]'::json,
        'attachments', 0, 'warnings', 1)
    where a.workspace_id = ${workspaceId} and a.account_id = ${accountId} and (
      a.status <> 'approved' or exists (
        select from runs r where r.workspace_id = a.workspace_id and r.id = a.run_id and r.finished_at is not null
      )
    )`.execute(tx);
};
