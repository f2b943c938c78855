import type { Json } from '../mailbox.ts';
import { wireTime } from '../text.ts';
import type { Change, World } from '../world.ts';
import { postTo } from './endpoint.ts';
import type { Subscription } from './subscription.ts';

const minute = 60_000;
/** Growing gaps, four hours in all. */
export const retryGaps = [
  10_000,
  30_000,
  minute,
  2 * minute,
  5 * minute,
  10 * minute,
  20 * minute,
  40 * minute,
  60 * minute,
  90 * minute,
];
const attemptTimeoutMs = 10_000;

const typeNames = {
  message: '#Microsoft.Graph.Message',
  event: '#Microsoft.Graph.Event',
  contact: '#Microsoft.Graph.Contact',
};
const collections = { message: 'Messages', event: 'Events', contact: 'Contacts' };

export const changePayload = (subscription: Subscription, change: Change, kind: Change['change']): Json => {
  const id = subscription.immutableIds ? change.immutableId : change.id;
  const resource = `Users/${subscription.owner}/${collections[change.kind]}/${id}`;
  return {
    subscriptionId: subscription.id,
    subscriptionExpirationDateTime: wireTime(subscription.expires),
    changeType: kind,
    resource,
    resourceData: {
      '@odata.type': typeNames[change.kind],
      '@odata.id': resource,
      '@odata.etag': change.etag,
      id,
    },
    clientState: subscription.clientState,
    tenantId: subscription.tenantId,
  };
};

export const lifecyclePayload = (subscription: Subscription, event: string): Json => ({
  lifecycleEvent: event,
  subscriptionId: subscription.id,
  subscriptionExpirationDateTime: wireTime(subscription.expires),
  resource: subscription.resource,
  clientState: subscription.clientState,
  tenantId: subscription.tenantId,
});

type Health = {
  since: number;
  posts: number;
  slow: number;
  tooSlow: number;
  delayedUntil: number;
  droppedUntil: number;
};
const healthWindow = 10 * minute;
/** Below this many posts in ten minutes nobody is called slow. */
const fewPosts = 20;

/** Posts notifications, several in one where they go to the same address at the same time. */
export class Notifier {
  #world: World;
  #waiting = new Map<string, { payload: Json; onLost: () => void }[]>();
  #health = new Map<string, Health>();

  constructor(world: World) {
    this.#world = world;
  }

  reset(): void {
    this.#waiting.clear();
    this.#health.clear();
  }

  notify(url: string, payload: Json, onLost: () => void = () => {}): void {
    const waiting = this.#waiting.get(url);
    if (waiting !== undefined) {
      waiting.push({ payload, onLost });
      return;
    }
    this.#waiting.set(url, [{ payload, onLost }]);
    setImmediate(() => this.#flush(url));
  }

  #flush(url: string): void {
    const waiting = this.#waiting.get(url);
    this.#waiting.delete(url);
    if (waiting === undefined) return;
    // Told apart when they are to arrive out of order.
    const groups = this.#world.control.outgoing.faults.shuffle ? waiting.map((one) => [one]) : [waiting];
    for (const group of groups) this.#post(url, group);
  }

  #post(url: string, group: { payload: Json; onLost: () => void }[]): void {
    const { clock, outgoing } = this.#world.control;
    const health = this.#healthOf(url);
    const lose = () => {
      for (const { onLost } of group) onLost();
    };
    // An endpoint called slow is served ten minutes late; one called dead, not at all.
    if (health.droppedUntil > clock.now()) return lose();
    const body = JSON.stringify({ value: group.map(({ payload }) => payload) });
    const attempt = async (): Promise<boolean> => {
      const started = performance.now();
      try {
        const { status } = await postTo(url, 'application/json; charset=utf-8', body, attemptTimeoutMs);
        return status >= 200 && status < 300;
      } finally {
        this.#measure(health, performance.now() - started);
      }
    };
    const go = () => outgoing.send(attempt, retryGaps, (accepted) => accepted || lose());
    if (health.delayedUntil > clock.now()) clock.after(health.delayedUntil - clock.now(), go);
    else go();
  }

  #healthOf(url: string): Health {
    const key = new URL(url).host;
    const now = this.#world.now();
    const known = this.#health.get(key);
    if (known !== undefined && now - known.since < healthWindow) return known;
    const fresh = {
      since: now,
      posts: 0,
      slow: 0,
      tooSlow: 0,
      delayedUntil: known?.delayedUntil ?? 0,
      droppedUntil: known?.droppedUntil ?? 0,
    };
    this.#health.set(key, fresh);
    return fresh;
  }

  #measure(health: Health, ms: number): void {
    health.posts++;
    if (ms > 3000) health.slow++;
    if (ms >= attemptTimeoutMs) health.tooSlow++;
    if (health.posts < fewPosts) return;
    const until = this.#world.now() + healthWindow;
    if (health.tooSlow / health.posts > 0.15) health.droppedUntil = until;
    else if (health.slow / health.posts > 0.1) health.delayedUntil = until;
  }
}
