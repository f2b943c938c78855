import type { ColumnType } from 'kysely';
import type { Actor } from './tables.ts';

type Json<T> = ColumnType<T, string, string>;
type Time = ColumnType<Date, Date, Date>;

export type ApprovalStatus = 'pending' | 'approved' | 'rejected' | 'expired' | 'void';

/** Row shapes of the migration 0017-approvals.sql. */
export type ApprovalTables = {
  approvals: {
    id: string;
    workspace_id: string;
    run_id: string;
    ordinal: number;
    account_id: string;
    step_id: string;
    /** 0031-removals.sql */
    effect: ColumnType<'send' | 'destroy', 'send' | 'destroy' | undefined, never>;
    input: Json<Record<string, unknown>>;
    requests: Json<Record<string, unknown>[]>;
    view: Json<unknown>;
    headline: Json<unknown>;
    cause: Json<unknown>;
    /** The agent that its cause names, 0045-which-waits.sql. */
    agent_id: ColumnType<string | null, never, never>;
    /** The end user that its cause names, 0048-for-whom-it-waits.sql. */
    end_user_id: ColumnType<string | null, never, never>;
    digest: ColumnType<Buffer, Buffer, Buffer>;
    status: ApprovalStatus;
    reason: string | null;
    composed_at: Time;
    /** 0039-composed-by.sql */
    composed_by: string | null;
    created_at: Time;
    expires_at: Time;
    decided_at: Date | null;
    decided_by: Json<Actor> | null;
  };
};
