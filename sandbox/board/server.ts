import { Hono } from 'hono';
import { watchDoor } from '../common/door.ts';
import { listen } from '../common/listen.ts';
import { type Control, createControl, type SandboxApp, type SandboxEnv, watchRequests } from '../common/server.ts';
import { Api } from './api.ts';
import { authorizeRoutes } from './authorize-routes.ts';
import { boardControlRoutes, type Consent } from './control-routes.ts';
import { BoardHands } from './hands.ts';
import { oauthRoutes } from './oauth-routes.ts';
import { pageRoutes } from './page-routes.ts';
import { RateLimits } from './rate-limits.ts';
import { Router } from './router.ts';
import { endpoints } from './routes/index.ts';
import { seed } from './seed.ts';
import { Sessions } from './sessions.ts';
import { keepInFile } from './state-file.ts';
import { WebhookDelivery } from './webhook-delivery.ts';
import { World, type WorldSnapshot } from './world.ts';

const faultBody = (status: number) => {
  if (status === 429) {
    const body = JSON.stringify({ error: 'API_TOKEN_LIMIT_EXCEEDED', message: 'Rate limit exceeded' });
    return { body, contentType: 'application/json; charset=utf-8' };
  }
  const words: Record<number, string> = { 401: 'invalid token', 404: 'The requested resource was not found.' };
  return { body: words[status] ?? 'Internal Server Error', contentType: 'text/plain; charset=utf-8' };
};

/** Sign-in has its pages there too. */
const behindApi = /^\/1(?:\/(?!authorize(?:[/?]|$))|\?|$)/;

/** The running stand-in, with hands on its state for tests. */
export class BoardSandbox extends BoardHands {
  readonly url: string;
  readonly port: number;
  readonly app: SandboxApp;
  readonly control: Control;
  readonly limits: RateLimits;
  readonly api: Api;
  readonly consent: { current: Consent };
  readonly #stop: () => Promise<void>;
  readonly #reset: () => void;

  constructor(parts: {
    url: string;
    port: number;
    app: SandboxApp;
    control: Control;
    world: World;
    limits: RateLimits;
    api: Api;
    consent: { current: Consent };
    reset: () => void;
    stop: () => Promise<void>;
  }) {
    super(parts.world);
    this.url = parts.url;
    this.port = parts.port;
    this.app = parts.app;
    this.control = parts.control;
    this.limits = parts.limits;
    this.api = parts.api;
    this.consent = parts.consent;
    this.#reset = parts.reset;
    this.#stop = parts.stop;
  }

  /** Back to the seeded world: time, faults, log and notifications as well. */
  reset(): void {
    this.control.clock.reset();
    this.control.faults.clear();
    this.control.outgoing.reset();
    this.control.log.clear();
    this.#reset();
  }

  snapshot(): WorldSnapshot {
    return this.world.snapshot();
  }

  restore(snapshot: WorldSnapshot): void {
    this.world.restore(snapshot);
  }

  close(): Promise<void> {
    return this.#stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

export const startBoard = async (options: { port?: number; file?: string } = {}): Promise<BoardSandbox> => {
  const control = createControl();
  const world = new World(control.clock);
  const limits = new RateLimits(control.clock);
  const consent: { current: Consent } = { current: { mode: 'ask' } };
  const sessions = new Sessions(world);
  const delivery = new WebhookDelivery(world, control.outgoing);
  world.onAction = (action, identifier) => delivery.announce(action, identifier);
  const reset = (): void => {
    seed(world);
    limits.reset();
    world.limitsOff = false;
    consent.current = { mode: 'ask' };
  };

  const app: SandboxApp = new Hono<SandboxEnv>();
  watchRequests(app, control, faultBody);
  app.route('/_control', boardControlRoutes({ control, world, limits, consent, reset }));
  app.route('/', authorizeRoutes({ world, sessions, consent }));
  app.route('/', oauthRoutes({ world, sessions, consent }));
  const api = new Api(world, limits, new Router(endpoints(() => api)));
  app.route('/', pageRoutes({ world, sessions, control }));
  const door = watchDoor(control, faultBody, {
    opens: (address) => behindApi.test(address),
    enter: () => undefined,
    answer: (asked) => api.answer(asked),
    leave: () => {},
  });

  const { url, port, close } = await listen({ service: 'board', fetch: app.fetch, door }, options);
  world.baseUrl = url;
  reset();
  const file = options.file === undefined ? undefined : await keepInFile(world, options.file);
  const stop = async (): Promise<void> => {
    control.clock.reset();
    await file?.save();
    await close();
  };
  return new BoardSandbox({ url, port, app, control, world, limits, api, consent, reset, stop });
};
