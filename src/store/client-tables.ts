import type { ColumnType } from 'kysely';

type Time = ColumnType<Date, Date, Date>;
type Bytes = ColumnType<Buffer, Buffer, Buffer>;

/** Row shapes of the migration 0025-clients.sql. */
export type ClientTables = {
  clients: { id: string; name: string; redirect_uris: string[]; created_at: Time };
  client_requests: {
    hash: Bytes;
    session_id: string;
    client_id: string;
    redirect_uri: string;
    state: string | null;
    challenge: string;
    scopes: string[];
    resource: string;
    expires_at: Time;
  };
  client_grants: {
    id: string;
    workspace_id: string;
    person_id: string;
    client_id: string;
    client_name: string;
    scopes: string[];
    resource: string;
    created_at: Time;
    last_used_at: Date | null;
    revoked_at: Date | null;
  };
  client_tokens: {
    hash: Bytes;
    workspace_id: string;
    grant_id: string;
    kind: 'code' | 'access' | 'refresh';
    redirect_uri: string | null;
    challenge: string | null;
    expires_at: Time;
    used_at: Date | null;
  };
};
