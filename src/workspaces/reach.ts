import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '#store';

/**
 * Whose word stands for a signed-in person: a workspace whose owner made the link, or null for the house itself, known
 * everywhere. Without this the owner of one workspace could add somebody of another and walk in there as them.
 */
export type VouchedBy = string | null;

/** Who has the terminal has the house. */
export const terminal: { actor: Actor; vouchedBy: VouchedBy } = {
  actor: { kind: 'system', id: 'system', name: 'Terminal' },
  vouchedBy: null,
};

/** The memberships in view of `members` that a word reaches: the workspace's own, and those made under it. */
export const reaches = (vouchedBy: VouchedBy): RawBuilder<boolean> =>
  sql<boolean>`(${vouchedBy}::text is null or ${vouchedBy} in (members.workspace_id, members.vouched_by))`;
