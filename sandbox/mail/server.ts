import { Hono } from 'hono';
import { watchDoor } from '../common/door.ts';
import { type Certificate, listen } from '../common/listen.ts';
import { type Control, createControl, type SandboxApp, type SandboxEnv, watchRequests } from '../common/server.ts';
import { batchRoutes } from './batch.ts';
import { calendarRoutes } from './calendar/routes.ts';
import { deltaRoutes } from './changes/delta.ts';
import { folderDeltaRoutes } from './changes/folder-delta.ts';
import { subscriptionRoutes } from './changes/subscription-routes.ts';
import { Subscriptions } from './changes/subscriptions.ts';
import { contactRoutes } from './contacts/routes.ts';
import { mailControl } from './control.ts';
import { deliver, send } from './delivery/carrier.ts';
import { folderRoutes } from './folders/routes.ts';
import { Graph } from './graph.ts';
import { GraphError } from './graph-error.ts';
import { failure, graphDoor, jsonType, toResponse } from './http.ts';
import { identityRoutes, subjectOf } from './identity/index.ts';
import { attachmentRoutes } from './messages/attachment-routes.ts';
import { readRoutes } from './messages/read-routes.ts';
import { sendRoutes } from './messages/send-routes.ts';
import { writeRoutes } from './messages/write-routes.ts';
import { pageRoutes } from './pages/index.ts';
import { seedWorld } from './seed/index.ts';
import { categoryRoutes } from './settings/categories.ts';
import { settingsRoutes } from './settings/mailbox-settings.ts';
import { userRoutes } from './settings/user-routes.ts';
import { type MailSnapshot, restoreSnapshot, takeSnapshot } from './snapshot.ts';
import { loadState, saveState } from './state-file.ts';
import { Throttle } from './throttle.ts';
import { forgetUploads, uploadAnswer } from './uploads.ts';
import { everydayBehaviour, World } from './world.ts';

export type MailSandbox = {
  url: string;
  port: number;
  app: SandboxApp;
  control: Control;
  world: World;
  reset(): void;
  snapshot(): MailSnapshot;
  restore(snapshot: MailSnapshot): void;
  /** A ready access token; all everyday scopes unless told. */
  tokenFor(user: string, scopes?: string | readonly string[], clientId?: string): string;
  close(): Promise<void>;
};

export type MailOptions = { port?: number; file?: string; tls?: Certificate };

const mailboxRoutes = [
  userRoutes,
  readRoutes,
  writeRoutes,
  sendRoutes,
  attachmentRoutes,
  folderRoutes,
  deltaRoutes,
  folderDeltaRoutes,
  categoryRoutes,
  settingsRoutes,
  calendarRoutes,
  contactRoutes,
].flat();

const codes: Record<number, string> = {
  401: 'InvalidAuthenticationToken',
  429: 'TooManyRequests',
  503: 'ServiceUnavailable',
  504: 'GatewayTimeout',
};
const faultBody = (status: number) => ({
  body: JSON.stringify({
    error: { code: codes[status] ?? 'GeneralException', message: 'The sandbox was told to fail here.' },
  }),
  contentType: jsonType,
});

/** The rooms put together, not yet listening. */
export const createMail = () => {
  const control = createControl();
  const world = new World(control);
  world.carryWith({ send: (mail) => send(world, mail), deliver: (mail) => deliver(world, mail) });
  const throttle = new Throttle(() => control.clock.now());
  const subscriptions = new Subscriptions(world);
  const graph = new Graph(world, throttle).mailboxRoutes(mailboxRoutes).topRoutes(subscriptionRoutes(subscriptions));
  graph.topRoutes(batchRoutes(graph));
  const reset = () => {
    world.abandon();
    world.clearPeople();
    world.tokens.reset();
    world.outbox = [];
    world.behaviour = { ...everydayBehaviour };
    world.generation++;
    subscriptions.reset();
    throttle.reset();
    forgetUploads(world);
    seedWorld(world);
  };
  seedWorld(world);

  const app = new Hono<SandboxEnv>();
  watchRequests(app, control, faultBody);
  app.all('/api/v2.0/attachmentSessions/:token', async (c) => {
    try {
      return toResponse(await uploadAnswer(world, c), {});
    } catch (error) {
      const about = { date: control.clock.date(), requestId: '', clientRequestId: '' };
      return toResponse(failure(error, about), {});
    }
  });
  app.route('/_control', mailControl(control, world, { throttle, subscriptions, reset }));
  app.route('/', identityRoutes(world));
  app.route('/', pageRoutes(world));
  app.notFound((c) => {
    const error = new GraphError(404, 'ResourceNotFound', `Nothing is at '${c.req.path}'.`);
    return toResponse(failure(error, { date: control.clock.date(), requestId: '', clientRequestId: '' }), {});
  });
  const door = watchDoor(control, faultBody, graphDoor(graph));
  return { service: 'mail' as const, fetch: app.fetch, door, app, control, world, subscriptions, throttle, reset };
};

export const startMail = async (options: MailOptions = {}): Promise<MailSandbox> => {
  const mail = createMail();
  const { app, control, world, subscriptions, reset } = mail;
  const { file } = options;
  const restore = (snapshot: MailSnapshot) => restoreSnapshot(world, subscriptions, snapshot);
  const snapshot = () => takeSnapshot(world, subscriptions);
  const kept = file === undefined ? undefined : loadState(file);
  if (kept !== undefined) restore(kept);

  const { url, port, close } = await listen(mail, options);
  return {
    url,
    port,
    app,
    control,
    world,
    reset,
    snapshot,
    restore,
    tokenFor: (user, scopes, clientId) => {
      const subject = subjectOf(world, user);
      if (subject === undefined) throw new Error(`Nobody here is '${user}'.`);
      return world.tokens.tokenFor(subject, scopes, clientId);
    },
    close: async () => {
      if (file !== undefined) saveState(file, snapshot());
      control.clock.reset();
      await close();
    },
  };
};
