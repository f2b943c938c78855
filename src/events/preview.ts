import { type Accounts, requireScopes } from '#accounts';
import type { Clock } from '#clock';
import {
  type Catalogue,
  type CatalogueTrigger,
  type Judgement,
  type Occurrence,
  oneByOne,
  type SettleContext,
  wrong,
} from '#kit';
import type { Agents } from '#runs';
import type { Store } from '#store';
import { understood } from '#upstream';
import { nameIn } from './chosen-names.ts';
import { shortened } from './draft.ts';
import { type Own, throughUs } from './own.ts';
import { createTriggerRecords } from './trigger-records.ts';
import { parseConfig, triggerOf } from './trigger-settings.ts';
import type { Watchers } from './watch-context.ts';

export type PreviewItem = { upstreamId: string; occurredAt: Date; summary: string } & (
  | { outcome: 'fired'; data: unknown }
  | { outcome: 'filtered'; clause: string }
  | { outcome: 'skipped'; reason: string }
);

export type Preview = {
  items: PreviewItem[];
  /** Recent occurrences of other types. */
  others: number;
  note?: string;
  /** What the configuration is understood as, where something else may have been meant. */
  hints?: string[];
};

type PreviewRequest = {
  type: string;
  accountId: string;
  config: unknown;
  /** Who would be started; must be there, as for a trigger. */
  agentId?: string | undefined;
  /** Which trigger it is a change of: what is gone is called as it was there. */
  triggerId?: string | undefined;
  /** How many occurrences to try it on; none means that the configuration alone is checked. */
  limit: number;
};

type Completed = { occurrence: Occurrence; delivery: unknown; isOurs: boolean };

// Of mails as long as a mail can be, fifty take half a minute.
const longestMs = 1_500;
const tooMuch = (count: number): string => `It was tried on the newest ${count} alone: they take long to read.`;

const hintsIn = (definition: CatalogueTrigger, config: unknown): Pick<Preview, 'hints'> => {
  const hints = definition.kind === 'webhook' ? (definition.hints?.(config) ?? []) : [];
  return hints.length === 0 ? {} : { hints: [...hints] };
};

/** Tries a configuration on what happened lately. Nothing starts and nothing is stored. */
export const createPreview = (options: {
  store: Store;
  clock: Clock;
  catalogue: Catalogue;
  accounts: Accounts;
  agents: Pick<Agents, 'get'>;
  watchers: Watchers;
  own: Own;
}) => {
  const { clock, catalogue, accounts, agents, watchers, own } = options;
  const shown = createTriggerRecords(options);

  const tryOut = async (
    workspaceId: string,
    given: PreviewRequest,
    definition: CatalogueTrigger,
    parsed: Record<string, unknown>,
  ): Promise<Preview> => {
    const how = { field: 'accountId', integration: definition.integration.name, endUserId: undefined };
    const connected = await accounts.get(workspaceId, await accounts.idOf(workspaceId, given.accountId, how));
    const { id, identity, scopes, integration } = connected;
    if (integration !== definition.integration.name) {
      throw wrong('accountId', `${definition.id} needs a ${definition.integration.name} account.`);
    }
    if (given.agentId !== undefined) await agents.get(workspaceId, given.agentId);
    const { names } = given.triggerId === undefined ? { names: {} } : await shown.get(workspaceId, given.triggerId);
    if (given.limit === 0) return { items: [], others: 0 };
    if (definition.kind === 'poll') {
      const note = 'This trigger looks at what is there from time to time; it has no history to try it on.';
      return { items: [], others: 0, note };
    }
    const { watching } = watchers.of(integration);
    const account = { id, identity, scopes };
    const now = clock.now();
    const upstream = watchers.upstreamOf(definition.integration, workspaceId, id);
    const context: SettleContext = {
      upstream,
      account,
      now,
      triggers: new Set([definition.name]),
      require: (needed) => requireScopes(connected, { integration: definition.integration, scopes: needed }),
      nameOf: (each) => nameIn(names, each),
    };
    const config = definition.settle === undefined ? parsed : await definition.settle(parsed, context, () => false);
    if (definition.neverListed) {
      const note = 'The service notifies of this and keeps no list of it; it has no history to try it on.';
      return { items: [], others: 0, note };
    }
    const resources = (await definition.resources(config, context)).slice(0, 10);
    const found = (await Promise.all(resources.map((each) => watching.recent(each, given.limit, context)))).flat();
    const unique = [...new Map(found.map((each) => [each.key, each])).values()];
    const recent = unique.sort((a, b) => b.at.getTime() - a.at.getTime()).slice(0, given.limit);

    const ignoresSelf = parsed['ignoreSelf'] !== false;
    const watched = { workspace_id: workspaceId, account_id: id, integration, identity, scopes };
    const complete = async (occurrence: Occurrence) => {
      const parsed = definition.delivery.safeParse(occurrence.body);
      if (!parsed.success) return undefined;
      const lacking = definition.isIncomplete?.(parsed.data, config) === true;
      const [delivery, isOurs] = await Promise.all([
        lacking ? definition.complete?.(parsed.data, context, config) : parsed.data,
        ignoresSelf && own.wasOurs(watched, occurrence, upstream),
      ]);
      return { occurrence, delivery, isOurs };
    };
    const judge = ({ occurrence, delivery, isOurs }: Completed): PreviewItem => {
      const judgement: Judgement = definition.judge(delivery, config, { account, since: new Date(0), now });
      const told = {
        upstreamId: occurrence.upstreamId ?? occurrence.key,
        occurredAt: occurrence.at,
        summary: shortened(definition.summaryOf(delivery)),
      };
      if (judgement.outcome !== 'fired') return { ...told, ...judgement };
      if (isOurs) return { ...told, ...throughUs };
      const data = definition.event.parse(definition.toEvent(delivery, config, definition.pages));
      return { ...told, outcome: 'fired', data };
    };
    const completed = (await Promise.all(recent.map(complete))).filter((each) => each !== undefined);
    const items = await oneByOne(completed, judge, longestMs);
    const others = recent.length - completed.length;
    return items.length < completed.length ? { items, others, note: tooMuch(items.length) } : { items, others };
  };

  return async (workspaceId: string, given: PreviewRequest): Promise<Preview> => {
    const definition = triggerOf(catalogue, given.type);
    const parsed = parseConfig(definition, given.config);
    return { ...(await understood(tryOut(workspaceId, given, definition, parsed))), ...hintsIn(definition, parsed) };
  };
};

export type PreviewTrigger = ReturnType<typeof createPreview>;
