import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshStore } from '../../../test/fresh-store.ts';
import { eraseApprovals } from './erase.ts';

test('what approvals hold of an account is erased some at a time, except where a run still needs it', async () => {
  await using opened = await freshStore();
  const db = opened.store.system;
  await sql`insert into workspaces (workspace_id, name, created_at) values ('ws', 'ws', now())`.execute(db);
  await sql`insert into accounts (id, workspace_id, integration, name, identity, identity_id, state, auth_method, permission_types,
      scopes, credential, created_at)
    values ('acc', 'ws', 'mail', 'acc', '{}', 'acc', 'connected', 'oauth2', '{}', '{}', '', now())`.execute(db);
  await sql`insert into runs (id, workspace_id, step_id, status, started_by, input, may_send, created_at, finished_at)
    select 'run_' || n, 'ws', 'mail.reply', 'succeeded', '{}', '{}', true, now(), case when n > 1 then now() end
    from generate_series(1, 7) n`.execute(db);
  await sql`insert into approvals (id, workspace_id, run_id, ordinal, account_id, step_id, input, requests, view, headline, cause, digest,
      status, composed_at, created_at, expires_at)
    select 'apr_' || n, 'ws', 'run_' || n, 1, 'acc', 'mail.reply', '{"body":"Hello"}', '[{"method":"POST","path":"/me/x"}]',
      '{"kind":"mail"}', '{}', '{}', '', case when n < 4 then 'approved' else 'rejected' end, now(), now(), now()
    from generate_series(1, 7) n`.execute(db);
  await sql`create table written (at_once integer);
    create function count_written() returns trigger language plpgsql as
      'begin insert into written select count(*) from gone; return null; end';
    create trigger written after update on approvals referencing old table as gone
      for each statement execute function count_written()`.execute(db);

  await eraseApprovals(db, { workspaceId: 'ws', accountId: 'acc' }, 2);

  const { rows } = await sql<{ id: string }>`select id from approvals where input::text <> '{}'`.execute(db);
  expect(rows).toEqual([{ id: 'apr_1' }]);
  const { rows: most } = await sql`select max(at_once) as most, sum(at_once)::integer as all from written`.execute(db);
  expect(most).toEqual([{ most: 2, all: 6 }]);
});
