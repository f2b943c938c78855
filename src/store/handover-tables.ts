import type { ColumnType, Generated } from 'kysely';

/** How another platform's agent says that its run ended. */
export type StoredEnding = { status: 'succeeded'; output: unknown } | { status: 'failed'; error: string };

/** Row shapes of the migration 0021-webhook-runner.sql. */
export type HandoverTables = {
  handovers: {
    workspace_id: string;
    run_id: string;
    tries: Generated<number>;
    delivered_at: Date | null;
    next_at: Date;
    deadline: Date;
    ending: ColumnType<StoredEnding, string, string> | null;
  };
  run_keys: {
    hash: ColumnType<Buffer, Buffer, Buffer>;
    workspace_id: string;
    run_id: string;
    created_at: ColumnType<Date, Date, Date>;
  };
};
