type Row = { version: string; number: number; reads: boolean };
type Asks = { query(text: string): Promise<{ rows: Row[] }> };

const oldest = 15;

/** Which server it is, and why it is none that we can work with. */
export const aboutServer = async (connection: Asks): Promise<{ version: string; unfit?: string }> => {
  const { rows } = await connection.query(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
      current_setting('transaction_read_only')::boolean as reads`,
  );
  const { version, number, reads } = rows[0] as Row;
  if (number < oldest * 10_000) return { version, unfit: `PostgreSQL ${version} is too old; use ${oldest} or newer.` };
  return reads ? { version, unfit: 'it only reads; name the primary, not a replica, in DATABASE_URL.' } : { version };
};
