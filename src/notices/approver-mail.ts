import { sql } from 'kysely';
import { z } from 'zod';
import type { Clock, Intervals } from '#clock';
import { defineJob, type JobDefinition, type Jobs } from '#jobs';
import type { Log } from '#log';
import { type Database, newId, type Role, type Store, type StoredMail, type StoredTry } from '#store';
import { nameHere } from '#workspaces';
import { withTry } from './claims.ts';
import { within } from './emit.ts';
import { NotSent, type Postman } from './postman.ts';
import { interval, waitAfter } from './schedule.ts';

/** What approvers may know before they have signed in: the subject line and the account, nothing of the content. */
export type PendingApproval = {
  workspaceId: string;
  approvalId: string;
  accountName: string;
  effect: 'send' | 'destroy';
  subject?: string | undefined;
  expiresAt: Date;
};

/** Mails those who may decide, in the transaction in which the approval is asked for. Without a mail server it does nothing. */
export type TellApprovers = (tx: Database, approval: PendingApproval) => Promise<void>;

type Waiting = { workspaceId: string; deliveryId: string };
type Claimed = { mail: StoredMail; tries: StoredTry[]; attempts: number; at: Date; person_id: string };

const deciding: readonly Role[] = ['approver', 'builder', 'owner'];
const mostTold = 50;
/** Longer than a mail server may take. */
const claimMs = 60_000;
const subjectLength = 150;

/** One line, without characters that are not seen. */
const oneLine = (text: string): string =>
  text
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, subjectLength)
    .toWellFormed();

// Where its readers are is not known.
const readable = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone: 'UTC' });

const letterFor = (approval: PendingApproval, workspaceName: string, publicUrl: URL): StoredMail => {
  const { approvalId, accountName, effect, subject, expiresAt } = approval;
  const isRemoval = effect === 'destroy';
  return {
    subject: `Waiting for your approval: ${subject === undefined ? '(no subject)' : oneLine(subject)}`,
    text: [
      `Something waits to be ${isRemoval ? 'removed' : 'sent'} until somebody approves it.`,
      `Workspace: ${oneLine(workspaceName)}\nAccount: ${oneLine(accountName)}\nSubject: ${subject === undefined ? '(none)' : oneLine(subject)}`,
      `Look at it and decide before ${readable.format(expiresAt)} UTC:\n${new URL(`/approvals/${approvalId}`, publicUrl).href}`,
      `This mail decides nothing by itself: you sign in, see exactly what would be ${isRemoval ? 'removed' : 'sent'}, and choose.`,
    ].join('\n\n'),
  };
};

export const createApproverMail = (options: {
  store: Store;
  clock: Clock;
  intervals: Intervals;
  log: Log;
  jobs: () => Jobs;
  postman: Postman | undefined;
  publicUrl: URL;
}): {
  tellApprovers: TellApprovers;
  job: JobDefinition<Waiting>;
  announce(waiting: readonly Waiting[]): Promise<void>;
} => {
  const { store, clock, log, jobs, postman, publicUrl } = options;
  const unitMs = options.intervals.noticeRetryMs;

  const claim = async ({ workspaceId, deliveryId }: Waiting): Promise<Claimed | undefined> => {
    const { rows } = await sql<Claimed>`
      update notice_deliveries set claimed_until = clock_timestamp() + ${interval(claimMs)}, attempts = attempts + 1
      where workspace_id = ${workspaceId} and id = ${deliveryId} and kind = 'mail' and state = 'pending'
        and next_try_at <= clock_timestamp() and (claimed_until is null or claimed_until < clock_timestamp())
      returning mail, tries, attempts, clock_timestamp() as at, person_id`.execute(store.of(workspaceId));
    return rows[0];
  };

  /** Whoever may no longer decide is not told, however long the mail has waited. */
  const addressOf = ({ workspaceId }: Waiting, personId: string) =>
    // People are shared between workspaces and readable only by the house; the join is bounded by the workspace.
    store.system
      .selectFrom('members')
      .innerJoin('people', 'people.id', 'members.person_id')
      .select([nameHere.as('name'), 'people.email as address'])
      .where('members.workspace_id', '=', workspaceId)
      .where('members.person_id', '=', personId)
      .where('members.role', 'in', deciding)
      .executeTakeFirst();

  const attempt = async (waiting: Waiting, { mail, person_id }: Claimed): Promise<NotSent | undefined> => {
    const to = await addressOf(waiting, person_id);
    if (to === undefined) return new NotSent('This person decides nothing here any more.', true);
    if (postman === undefined) return new NotSent('No mail server is set (SMTP_URL).', true);
    try {
      await postman.send({ id: waiting.deliveryId, to, ...mail });
      return undefined;
    } catch (error) {
      if (error instanceof NotSent) return error;
      throw error;
    }
  };

  const settle = (waiting: Waiting, claimed: Claimed, failure: NotSent | undefined, ms: number): Promise<void> =>
    store
      .of(waiting.workspaceId)
      .transaction()
      .execute(async (tx) => {
        const waitMs = failure === undefined || failure.final ? undefined : waitAfter(claimed.attempts, unitMs);
        const state = failure === undefined ? 'delivered' : waitMs === undefined ? 'failed' : 'pending';
        const entry = {
          at: claimed.at.toISOString(),
          ms,
          ...(failure === undefined ? {} : { error: failure.message }),
        };
        await tx
          .updateTable('notice_deliveries')
          .set({
            state,
            tries: withTry(claimed.tries, entry),
            claimed_until: null,
            ...(waitMs === undefined
              ? { mail: null, finished_at: clock.now() }
              : { next_try_at: sql<Date>`now() + ${interval(waitMs)}` }),
          })
          .where('workspace_id', '=', waiting.workspaceId)
          .where('id', '=', waiting.deliveryId)
          .where('attempts', '=', claimed.attempts)
          .execute();
        if (waitMs === undefined) return;
        const after = new Date(clock.now().getTime() + waitMs);
        await jobs().send(job, waiting, { after, within: within(tx) });
      });

  const job: JobDefinition<Waiting> = defineJob({
    name: 'notices.mail',
    data: z.object({ workspaceId: z.string(), deliveryId: z.string() }),
    concurrency: 4,
    expireSeconds: 60,
    async handle(waiting) {
      const claimed = await claim(waiting);
      if (claimed === undefined) return;
      const began = clock.now().getTime();
      const failure = await attempt(waiting, claimed);
      if (failure !== undefined) {
        log.warn({ deliveryId: waiting.deliveryId, reason: failure.message }, 'a mail to an approver did not leave');
      }
      await settle(waiting, claimed, failure, clock.now().getTime() - began);
    },
  });

  return {
    job,
    announce: (waiting) =>
      jobs().sendMany(
        job,
        waiting.map((data) => ({ data, key: data.deliveryId })),
      ),
    tellApprovers: async (tx, approval) => {
      if (postman === undefined) return;
      const { workspaceId } = approval;
      const people = await tx
        .selectFrom('members')
        .innerJoin('workspaces', 'workspaces.workspace_id', 'members.workspace_id')
        .select(['person_id', 'workspaces.name as workspace_name'])
        .where('members.workspace_id', '=', workspaceId)
        .where('members.role', 'in', deciding)
        .where('workspaces.mail_approvers', '=', true)
        .orderBy('members.created_at')
        .limit(mostTold)
        .execute();
      const [first] = people;
      if (first === undefined) return;
      const createdAt = clock.now();
      const mail = JSON.stringify(letterFor(approval, first.workspace_name, publicUrl));
      const rows = people.map(({ person_id }) => ({
        id: newId('dlv', createdAt),
        workspace_id: workspaceId,
        kind: 'mail' as const,
        person_id,
        mail,
        created_at: createdAt,
      }));
      await tx.insertInto('notice_deliveries').values(rows).execute();
      const items = rows.map(({ id }) => ({ data: { workspaceId, deliveryId: id } }));
      await jobs().sendMany(job, items, { within: within(tx) });
    },
  };
};
