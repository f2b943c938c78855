import { sql } from 'kysely';

/** What a person of `people` is called in the workspace of `members`; no other's word is shown there. */
export const nameHere = sql<string>`coalesce(members.name, people.email)`;
