import { sql } from 'kysely';
import type { Clock } from '#clock';
import type { ModelSettings } from '#config';
import { Fault } from '#kit';
import type { Actor, Database, Sealer, Store } from '#store';
import { recordAudit } from './audit.ts';

export type Retention = {
  /** Events, runs and their journals. */
  historyDays: number;
  auditDays: number;
  fileDays: number;
};

/** How far agents may send without asking. */
export type SendRules = {
  perRun: number;
  perAccountHour: number;
  /** Once a run has read something else, it asks before it answers the mail that started it. */
  strict: boolean;
};

/** How much agents may remove without asking. */
export type DeleteRules = { perRun: number; perAccountHour: number };

type Model = { provider: ModelSettings['provider']; baseUrl: string; model: string };

export type WorkspaceSettings = {
  /** Where people may be sent back to after connecting, besides our own pages. */
  allowedReturnOrigins: string[];
  retention: Retention;
  /** Whether those who may decide are told by mail. */
  mailApprovers: boolean;
  sends: SendRules;
  deletes: DeleteRules;
  /** By account: to whom agents may write from it without asking. */
  allowedRecipients: Record<string, string[]>;
  /** Whom agents' models are asked of, instead of whom the operator chose. */
  model: (Model & { hasKey: boolean }) | null;
};

type Some<T> = { [Name in keyof T]?: T[Name] | undefined };

export type SettingsChange = Some<Pick<WorkspaceSettings, 'allowedReturnOrigins' | 'mailApprovers'>> & {
  retention?: Some<Retention> | undefined;
  sends?: Some<SendRules> | undefined;
  deletes?: Some<DeleteRules> | undefined;
  /** Accounts that are not named keep theirs. */
  allowedRecipients?: Record<string, string[]> | undefined;
  /** Without a key the present one stays, as long as it goes to the same address. */
  model?: (Model & { apiKey?: string | null | undefined }) | null | undefined;
};

export type Settings = {
  get(workspaceId: string): Promise<WorkspaceSettings>;
  change(workspaceId: string, change: SettingsChange, actor: Actor): Promise<void>;
  /** With its key, for one call. */
  model(workspaceId: string, db?: Database): Promise<ModelSettings | undefined>;
};

const columns = [
  'allowed_return_origins',
  'keep_history_days',
  'keep_audit_days',
  'keep_file_days',
  'mail_approvers',
  'sends_per_run',
  'sends_per_hour',
  'strict_sends',
  'deletes_per_run',
  'deletes_per_hour',
  'model',
] as const;

/** Keeping history for longer from now on brings nothing back that was forgotten. */
const forgottenWith = (days: number) => sql<Date | null>`case when ${days} > keep_history_days
  then greatest(forgotten_before, clock_timestamp() - keep_history_days * interval '1 day') else forgotten_before end`;

const given = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

export const createSettings = (options: { store: Store; clock: Clock; sealer: Sealer }): Settings => {
  const { store, clock, sealer } = options;
  const place = (workspaceId: string) => ({
    workspace: workspaceId,
    table: 'workspaces',
    row: workspaceId,
    column: 'model_key',
  });

  const read = async (db: Database, workspaceId: string) => {
    const row = await db
      .selectFrom('workspaces')
      .select(columns)
      .select(sql<boolean>`model_key is not null`.as('has_key'))
      .where('workspace_id', '=', workspaceId)
      .executeTakeFirst();
    if (row === undefined) throw new Fault('not_found', 'There is no such workspace.');
    return row;
  };

  const accountsOf = (db: Database, workspaceId: string) =>
    db
      .selectFrom('accounts')
      .where('workspace_id', '=', workspaceId)
      .where('kind', '=', 'account')
      .where('state', '<>', 'disconnected');

  const allow = async (tx: Database, workspaceId: string, allowed: Record<string, string[]>): Promise<void> => {
    const named = Object.keys(allowed);
    if (named.length === 0) return;
    const known = await accountsOf(tx, workspaceId).select('id').where('id', 'in', named).execute();
    const unknown = named.filter((id) => !known.some((each) => each.id === id));
    if (unknown.length > 0) {
      const fields = unknown.map((id) => ({ field: `allowedRecipients.${id}`, message: 'there is no such account' }));
      throw new Fault('invalid_input', `There is no such account: ${unknown.join(', ')}.`, { details: { fields } });
    }
    for (const [id, recipients] of Object.entries(allowed)) {
      await tx
        .updateTable('accounts')
        .set({ allowed_recipients: recipients })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .execute();
    }
  };

  const modelColumns = async (tx: Database, workspaceId: string, change: SettingsChange['model']) => {
    if (change === undefined) return {};
    if (change === null) return { model: null, model_key: null };
    const { apiKey, provider, baseUrl, model } = change;
    const { model: before } = await read(tx, workspaceId);
    const stays = before !== null && before.baseUrl === baseUrl && before.provider === provider;
    const kept = { model: JSON.stringify({ provider, baseUrl, model }) };
    // A key goes where it was meant to go, and nowhere else.
    if (apiKey === undefined) return stays ? kept : { ...kept, model_key: null };
    return { ...kept, model_key: apiKey === null ? null : sealer.seal(apiKey, place(workspaceId)) };
  };

  return {
    get: async (workspaceId) => {
      const db = store.of(workspaceId);
      const row = await read(db, workspaceId);
      const lists = await accountsOf(db, workspaceId)
        .select(['id', 'allowed_recipients'])
        .where(sql<boolean>`cardinality(allowed_recipients) > 0`)
        .orderBy('id', 'desc')
        .execute();
      return {
        allowedReturnOrigins: row.allowed_return_origins,
        retention: {
          historyDays: row.keep_history_days,
          auditDays: row.keep_audit_days,
          fileDays: row.keep_file_days,
        },
        mailApprovers: row.mail_approvers,
        sends: { perRun: row.sends_per_run, perAccountHour: row.sends_per_hour, strict: row.strict_sends },
        deletes: { perRun: row.deletes_per_run, perAccountHour: row.deletes_per_hour },
        allowedRecipients: Object.fromEntries(lists.map((each) => [each.id, each.allowed_recipients])),
        model: row.model === null ? null : { ...row.model, hasKey: row.has_key },
      };
    },

    change: (workspaceId, change, actor) =>
      store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          const { allowedReturnOrigins, retention, mailApprovers, sends, deletes, allowedRecipients, model } = change;
          if (allowedRecipients !== undefined) await allow(tx, workspaceId, allowedRecipients);
          await tx
            .updateTable('workspaces')
            .set({
              // Named again, so that a change of nothing is no mistake.
              workspace_id: workspaceId,
              ...given({
                allowed_return_origins: allowedReturnOrigins,
                keep_history_days: retention?.historyDays,
                keep_audit_days: retention?.auditDays,
                keep_file_days: retention?.fileDays,
                mail_approvers: mailApprovers,
                sends_per_run: sends?.perRun,
                sends_per_hour: sends?.perAccountHour,
                strict_sends: sends?.strict,
                deletes_per_run: deletes?.perRun,
                deletes_per_hour: deletes?.perAccountHour,
              }),
              ...(retention?.historyDays === undefined
                ? {}
                : { forgotten_before: forgottenWith(retention.historyDays) }),
              ...(await modelColumns(tx, workspaceId, model)),
            })
            .where('workspace_id', '=', workspaceId)
            .execute();
          const { apiKey, ...shown } = model ?? {};
          const named = model ? { ...shown, newKey: typeof apiKey === 'string' } : model;
          const details = given({
            allowedReturnOrigins,
            retention,
            mailApprovers,
            sends,
            deletes,
            allowedRecipients,
            model: named,
          });
          await recordAudit(tx, clock, {
            workspaceId,
            actor,
            action: 'settings.changed',
            target: workspaceId,
            details,
          });
        }),

    model: async (workspaceId, db = store.of(workspaceId)) => {
      const row = await db
        .selectFrom('workspaces')
        .select(['model', 'model_key'])
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirst();
      if (row === undefined || row.model === null) return undefined;
      const { provider, baseUrl, model: name } = row.model;
      const apiKey = row.model_key === null ? undefined : sealer.open(row.model_key, place(workspaceId));
      return { provider, baseUrl, name, apiKey };
    },
  };
};
