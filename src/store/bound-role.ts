import { type Kysely, sql } from 'kysely';
import pg from 'pg';

// A backup brings neither the role along nor what it may do, and a role may come to pass walls later; a role that passes
// walls and is no superuser may not act as another one before it is told so.
const open = `
do $$
declare
  kind "char";
  closed regclass;
begin
  if not exists (select from pg_roles where rolname = session_user and (rolsuper or rolbypassrls)) then return; end if;
  perform pg_advisory_xact_lock(hashtextextended('switchboard_app', 0));
  if to_regrole('switchboard_app') is null then create role switchboard_app nologin; end if;
  begin
    perform set_config('role', 'switchboard_app', true);
    perform set_config('role', 'none', true);
  exception when insufficient_privilege then
    execute format('grant switchboard_app to %I', session_user);
  end;
  if to_regnamespace('jobs') is not null and has_schema_privilege('switchboard_app', 'jobs', 'usage')
    and has_schema_privilege('switchboard_app', 'public', 'usage') and not exists (
      select from pg_class c where c.relnamespace in (to_regnamespace('public'), to_regnamespace('jobs'))
        and c.relkind in ('r', 'p') and pg_has_role(session_user, c.relowner, 'usage')
        and not has_table_privilege('switchboard_app', c.oid, 'insert')
    ) then return; end if;
  create schema if not exists jobs;
  grant usage on schema public, jobs to switchboard_app;
  for closed, kind in
    select c.oid, c.relkind from pg_class c where c.relnamespace in (to_regnamespace('public'), to_regnamespace('jobs'))
      and c.relkind in ('r', 'p', 'S') and pg_has_role(session_user, c.relowner, 'usage')
  loop
    execute format(case when kind = 'S' then 'grant usage, select on sequence %s to switchboard_app'
      else 'grant select, insert, update, delete on %s to switchboard_app' end, closed);
  end loop;
  alter default privileges in schema public grant select, insert, update, delete on tables to switchboard_app;
  alter default privileges in schema public grant usage, select on sequences to switchboard_app;
  alter default privileges in schema jobs grant select, insert, update, delete on tables to switchboard_app;
  alter default privileges in schema jobs grant execute on functions to switchboard_app;
end $$`;

/** Row-level security does not bind a superuser. Who is none is not asked for anything; who is acts as switchboard_app, and can. */
export const openToBoundRole = async (db: Kysely<unknown>): Promise<void> => {
  await sql.raw(open).execute(db);
};

const notAllowed = '42501';

/** What to do where a role that passes walls may not make the one that does not. */
export const mayNotBind = async (db: Kysely<unknown>, error: unknown): Promise<Error | undefined> => {
  if (!(error instanceof pg.DatabaseError) || error.code !== notAllowed) return undefined;
  const { rows } = await sql<{ role: string }>`
    select quote_ident(rolname) as role from pg_roles
    where rolname = session_user and rolbypassrls and not rolsuper and not rolcreaterole`.execute(db);
  const [passing] = rows;
  if (passing === undefined) return undefined;
  const { role } = passing;
  return new Error(
    `the role ${role} of DATABASE_URL passes the walls between workspaces (BYPASSRLS) and may not make one that does not: ` +
      `${error.message}. Let an administrator of the database say: alter role ${role} nobypassrls; (or: alter role ${role} createrole;).`,
    { cause: error },
  );
};
