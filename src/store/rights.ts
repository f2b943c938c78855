type Row = { role: string; database: string; owner: string | null; may: boolean; closed: boolean };
type Asks = { query(text: string): Promise<{ rows: Row[] }> };

// By their names in the catalogue: whoever may not use a schema may not ask for what is in it otherwise. The schema of a
// database that was made since PostgreSQL 15 goes with its owner.
const rights = `
  with home as (select oid, nspowner from pg_namespace where nspname = 'public')
  select quote_ident(session_user) as role, quote_ident(current_database()) as database,
    (select quote_ident(pg_get_userbyid(c.relowner)) from pg_class c join home on home.oid = c.relnamespace
      where c.relname = 'kysely_migration' and not pg_has_role(session_user, c.relowner, 'usage')) as owner,
    has_database_privilege(current_database(), 'create')
      and not exists (select from home where not has_schema_privilege(oid, 'create')) as may,
    exists (select from home where not has_schema_privilege(oid, 'create')
      and pg_get_userbyid(nspowner) <> 'pg_database_owner') as closed`;

/** What to do where the role of DATABASE_URL may not make our tables, or change those that are there. */
export const lackingRights = async (connection: Asks): Promise<string | undefined> => {
  const [row] = (await connection.query(rights)).rows;
  if (row === undefined) return undefined;
  const { role, database, owner, may, closed } = row;
  if (owner !== null)
    return `its tables belong to the role ${owner}, and DATABASE_URL names ${role}, which may not change them; name ${owner} there.`;
  if (may) return undefined;
  const order = `alter database ${database} owner to ${role};${closed ? ` alter schema public owner to ${role};` : ''}`;
  return `the role ${role} of DATABASE_URL may not make tables there. Let an administrator of the database say: ${order}`;
};
