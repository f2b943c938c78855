import type { Json } from '../mailbox.ts';
import type { Change, World } from '../world.ts';
import { changePayload, lifecyclePayload, Notifier } from './notifier.ts';
import { heard, readTarget, type Subscription, type Target } from './subscription.ts';

export type LifecycleEvent = 'reauthorizationRequired' | 'subscriptionRemoved' | 'missed';

const minute = 60_000;
const reminderGap = 15 * minute;
const mostPerMailbox = 1000;

/** Who wants to hear of what. Expired ones just vanish. */
export class Subscriptions {
  readonly notifier: Notifier;
  #world: World;
  #byId = new Map<string, Subscription>();
  #targets = new WeakMap<Subscription, Target>();
  #callOff = new Map<string, () => void>();

  constructor(world: World) {
    this.#world = world;
    this.notifier = new Notifier(world);
    world.onChange((change) => this.#hear(change));
  }

  of(owner: string, appId: string): Subscription[] {
    this.#sweep();
    return [...this.#byId.values()].filter((one) => one.owner === owner && one.appId === appId);
  }

  get(id: string): Subscription | undefined {
    this.#sweep();
    return this.#byId.get(id);
  }

  /** The same changes of the same resource, asked for by the same app. */
  twin(wanted: Pick<Subscription, 'owner' | 'appId' | 'resource' | 'changeTypes'>): Subscription | undefined {
    const key = (one: typeof wanted) => `${one.resource.toLowerCase()} ${one.changeTypes.toSorted().join()}`;
    return this.of(wanted.owner, wanted.appId).find((one) => key(one) === key(wanted));
  }

  isFull(owner: string): boolean {
    this.#sweep();
    return [...this.#byId.values()].filter((one) => one.owner === owner).length >= mostPerMailbox;
  }

  add(subscription: Subscription): void {
    this.#byId.set(subscription.id, subscription);
    this.#world.watched.add(subscription.owner);
    this.remind(subscription);
  }

  remove(id: string): void {
    this.#byId.delete(id);
    this.#callOff.get(id)?.();
    this.#callOff.delete(id);
    this.#world.watched.clear();
    for (const { owner } of this.#byId.values()) this.#world.watched.add(owner);
  }

  /** Near the end, and about every 15 minutes from then on, the app is told to reauthorize. */
  remind(subscription: Subscription): void {
    this.#callOff.get(subscription.id)?.();
    const wait = Math.max(subscription.expires - this.#world.now() - 2 * reminderGap, reminderGap);
    if (subscription.lifecycleUrl === null || this.#world.now() + wait >= subscription.expires) return;
    const callOff = this.#world.control.clock.after(wait, () => {
      if (this.get(subscription.id) === undefined) return;
      this.#tell(subscription, 'reauthorizationRequired');
      this.remind(subscription);
    });
    this.#callOff.set(subscription.id, callOff);
  }

  /** Tells the apps of one person (or of everybody); a removed subscription is gone afterwards. */
  lifecycle(event: LifecycleEvent, owner?: string): number {
    this.#sweep();
    const concerned = [...this.#byId.values()].filter((one) => owner === undefined || one.owner === owner);
    for (const subscription of concerned) {
      this.#tell(subscription, event);
      if (event === 'subscriptionRemoved') this.remove(subscription.id);
    }
    return concerned.length;
  }

  reset(): void {
    for (const id of this.#byId.keys()) this.remove(id);
    this.notifier.reset();
  }

  snapshot(): Subscription[] {
    return structuredClone([...this.#byId.values()]);
  }

  restore(snapshot: readonly Subscription[]): void {
    this.reset();
    for (const subscription of structuredClone(snapshot)) this.add(subscription);
  }

  #tell(subscription: Subscription, event: LifecycleEvent): void {
    if (subscription.lifecycleUrl === null) return;
    this.notifier.notify(subscription.lifecycleUrl, lifecyclePayload(subscription, event));
  }

  #sweep(): void {
    const now = this.#world.now();
    for (const { id, expires } of this.#byId.values()) if (expires <= now) this.remove(id);
  }

  #targetOf(subscription: Subscription): Target | undefined {
    const known = this.#targets.get(subscription);
    if (known !== undefined) return known;
    const person = this.#world.people.get(subscription.owner);
    if (person === undefined) return undefined;
    const target = readTarget(this.#world, person, subscription.resource);
    this.#targets.set(subscription, target);
    return target;
  }

  #hear(change: Change): void {
    this.#sweep();
    for (const subscription of this.#byId.values()) {
      if (subscription.owner !== change.mailbox.owner) continue;
      const target = this.#targetOf(subscription);
      const kind = target === undefined ? undefined : heard(subscription, target, change);
      if (kind !== undefined) this.#post(subscription, changePayload(subscription, change, kind));
      // One creation may come as created and updated.
      const noisy = kind === 'created' && this.#world.behaviour.notificationNoise && change.moved !== true;
      if (noisy && subscription.changeTypes.includes('updated')) {
        this.#post(subscription, changePayload(subscription, change, 'updated'));
      }
    }
  }

  #post(subscription: Subscription, payload: Json): void {
    this.notifier.notify(subscription.notificationUrl, payload, () => this.#tell(subscription, 'missed'));
  }
}
