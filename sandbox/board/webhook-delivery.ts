import { createHmac } from 'node:crypto';
import type { Outgoing } from '../common/outgoing.ts';
import type { Action, Webhook } from './model.ts';
import { may } from './permission.ts';
import { showAction } from './views/actions.ts';
import { boardBasics, boardShape, memberShape, organizationBasics, organizationShape } from './views/boards.ts';
import { cardShape, listShape } from './views/cards.ts';
import { show, type Viewer } from './views/fields.ts';
import { showWebhook } from './views/tokens.ts';
import { World } from './world.ts';

const retries = [30_000, 60_000, 120_000];
const patience = 30 * 86_400_000;
const failuresBeforeDisabled = 1000;
const timeout = 10_000;

/** The sandbox never talks to the outside, whatever address it is given. */
export const isLoopback = (url: string): boolean => {
  if (!URL.canParse(url)) return false;
  const { hostname, protocol } = new URL(url);
  const local = hostname === 'localhost' || hostname === '[::1]' || hostname.endsWith('.localhost');
  return /^https?:$/.test(protocol) && (local || /^127\.\d+\.\d+\.\d+$/.test(hostname));
};

/** What a callback answers to HEAD; 0 when it cannot be reached. */
export const headStatus = async (url: string): Promise<number> => {
  if (!isLoopback(url)) return 0;
  const signal = AbortSignal.timeout(timeout);
  const answer = await fetch(url, { method: 'HEAD', redirect: 'manual', signal }).catch(() => undefined);
  return answer?.status ?? 0;
};

/** base64(HMAC-SHA1(secret, raw body bytes + callbackURL exactly as registered)). */
export const signature = (secret: string, body: string, callbackURL: string): string =>
  createHmac('sha1', secret).update(body).update(callbackURL).digest('base64');

/** Tells webhooks about actions: signed, retried, and forgotten when told to go. */
export class WebhookDelivery {
  readonly #world: World;
  readonly #outgoing: Outgoing;

  constructor(world: World, outgoing: Outgoing) {
    this.#world = world;
    this.#outgoing = outgoing;
  }

  announce(action: Action, clientIdentifier: string | undefined): void {
    for (const idModel of World.modelsOf(action)) {
      for (const webhook of this.#world.webhooksOf.get(idModel) ?? []) {
        if (webhook.active && this.#mayHear(webhook, action)) this.#send(webhook, action, clientIdentifier);
      }
    }
  }

  #mayHear(webhook: Webhook, action: Action): boolean {
    const expires = this.#world.tokensById.get(webhook.idOwner)?.dateExpires ?? null;
    if (expires !== null && Date.parse(expires) <= this.#world.clock.now()) {
      // A token that expires takes its webhooks with it.
      this.#world.removeWebhook(webhook);
      return false;
    }
    const board = this.#world.boards.get(action.idBoard ?? '');
    const owner = this.#world.members.get(webhook.idMember) ?? null;
    return board === undefined || may(this.#world, owner, board, 'read');
  }

  #send(webhook: Webhook, action: Action, clientIdentifier: string | undefined): void {
    const viewer: Viewer = { world: this.#world, idMember: null };
    const body = JSON.stringify({
      model: this.#model(webhook.idModel, viewer),
      action: showAction(action, viewer, { display: true }),
      webhook: showWebhook(webhook),
    });
    const headers: Record<string, string> = {
      'content-type': 'application/json; charset=utf-8',
      'x-trello-webhook': signature(this.#secret(webhook), body, webhook.callbackURL),
    };
    // Echoed only to webhooks of the key that wrote.
    if (clientIdentifier !== undefined && webhook.appKey === action.appKey) {
      headers['x-trello-client-identifier'] = clientIdentifier;
    }
    const post = (): Promise<boolean> => this.#post(webhook, body, headers);
    this.#outgoing.send(post, retries, () => {});
  }

  async #post(webhook: Webhook, body: string, headers: Record<string, string>): Promise<boolean> {
    if (!this.#world.webhooks.has(webhook.id) || !webhook.active) return true;
    const { callbackURL } = webhook;
    const signal = AbortSignal.timeout(timeout);
    const answer = isLoopback(callbackURL)
      ? await fetch(callbackURL, { method: 'POST', body, headers, redirect: 'manual', signal }).catch(() => undefined)
      : undefined;
    await answer?.arrayBuffer().catch(() => undefined);
    if (answer?.status === 410) {
      this.#world.removeWebhook(webhook);
      return true;
    }
    const accepted = answer !== undefined && answer.ok;
    this.#count(webhook, accepted);
    return accepted;
  }

  /** Disabled only after 30 days and more than 1000 failures in a row; one success resets. */
  #count(webhook: Webhook, accepted: boolean): void {
    this.#world.revision += 1;
    if (accepted) {
      webhook.consecutiveFailures = 0;
      webhook.firstConsecutiveFailDate = null;
      return;
    }
    const now = this.#world.clock.now();
    webhook.consecutiveFailures += 1;
    webhook.firstConsecutiveFailDate ??= new Date(now).toISOString();
    const since = now - Date.parse(webhook.firstConsecutiveFailDate);
    if (webhook.consecutiveFailures > failuresBeforeDisabled && since >= patience) webhook.active = false;
  }

  /** The app's secret for a key's token, the client's for an OAuth 2.0 grant. Never the token. */
  #secret({ kind, appKey }: Webhook): string {
    return (kind === 'key' ? this.#world.apps.get(appKey)?.secret : this.#world.clients.get(appKey)?.secret) ?? '';
  }

  #model(id: string, viewer: Viewer): unknown {
    const { boards, lists, cards, members, organizations } = this.#world;
    const board = boards.get(id);
    if (board) return show(boardShape, board, boardBasics, viewer);
    const list = lists.get(id);
    if (list) return show(listShape, list, ['name', 'closed', 'idBoard', 'pos'], viewer);
    const card = cards.get(id);
    if (card) return show(cardShape, card, 'all', viewer);
    const member = members.get(id);
    if (member) return show(memberShape, member, ['username', 'fullName', 'initials', 'avatarHash', 'url'], viewer);
    const organization = organizations.get(id);
    return organization ? show(organizationShape, organization, organizationBasics, viewer) : { id };
  }
}
