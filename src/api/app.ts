import { OpenAPIHono } from '@hono/zod-openapi';
import type { Accounts, Connects, Secrets, Services } from '#accounts';
import type { Clock, Intervals } from '#clock';
import type { Approvals } from '#effects';
import type { Events } from '#events';
import type { Catalogue, Fault } from '#kit';
import type { Log } from '#log';
import type { Live, Notices } from '#notices';
import type { Agents, FileStore, Pickers, RemoteRuns, Runs, RunsRoom, Tools } from '#runs';
import type {
  ApiKeys,
  Audit,
  Budgets,
  ClientGrants,
  Clients,
  Deleting,
  Idempotency,
  Members,
  Names,
  Overview,
  Sessions,
  Settings,
  Waiting,
  Workspaces,
} from '#workspaces';
import { answerAgain } from './answer-again.ts';
import { bodyLimits } from './body-limits.ts';
import { createClientAddress } from './client-address.ts';
import type { Env } from './env.ts';
import { answerFailures, answerUnknown, refuseInvalid } from './failures.ts';
import { healthRoutes, type Probe } from './health.ts';
import { createHookDoor } from './hook-door.ts';
import { addHouseGauges } from './house-gauges.ts';
import { createKeyHolder, createRecall, identify } from './identify.ts';
import { noticeWebhooks } from './notice-contract.ts';
import { createMcpHolder } from './oauth/mcp-holder.ts';
import { oauthPlaces } from './oauth/places.ts';
import { leadBack, oauthRoutes } from './oauth/routes.ts';
import { once } from './once.ts';
import { connectPages, keepOpener } from './pages/connect.ts';
import { stylesheet } from './pages/layout.ts';
import { type ApiDocument, referencePage } from './pages/reference.ts';
import { signInLinkRoutes } from './pages/sign-in-link.ts';
import { webApp } from './pages/web-app.ts';
import { createQuickDoor } from './quick-door.ts';
import type { QuickDoor } from './quick-parts.ts';
import { accountRoutes } from './routes/accounts.ts';
import { agentRoutes } from './routes/agents.ts';
import { apiKeyRoutes } from './routes/api-keys.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { auditRoutes } from './routes/audit.ts';
import { catalogueRoutes } from './routes/catalogue.ts';
import { clientRoutes } from './routes/clients.ts';
import { connectRoutes } from './routes/connect.ts';
import { eventRoutes } from './routes/events.ts';
import { fileRoutes } from './routes/files.ts';
import { hookRoutes } from './routes/hooks.ts';
import { type McpRoom, mcpRoutes } from './routes/mcp.ts';
import { memberRoutes } from './routes/members.ts';
import { optionRoutes } from './routes/options.ts';
import { overviewRoutes } from './routes/overview.ts';
import { remoteRunRoutes } from './routes/remote-runs.ts';
import { runRoutes } from './routes/runs.ts';
import { sandboxRoutes } from './routes/sandbox.ts';
import { secretRoutes } from './routes/secrets.ts';
import { sessionRoutes } from './routes/session.ts';
import { settingsRoutes } from './routes/settings.ts';
import { streamRoutes } from './routes/streams.ts';
import { toolRoutes } from './routes/tools.ts';
import { triggerRoutes } from './routes/triggers.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { workspaceRoutes } from './routes/workspaces.ts';
import type { SandboxAddresses } from './sandbox-hands.ts';
import { sealContent, securityHeaders } from './security-headers.ts';
import { createStreams } from './streams.ts';
import { createTelemetry } from './telemetry.ts';
import { createTellRun } from './tell-run.ts';

/** What the API stands on. */
export type Rooms = {
  catalogue: Catalogue;
  accounts: Accounts;
  connects: Connects;
  secrets: Secrets;
  runs: Runs;
  retry: RunsRoom['retry'];
  cancel: RunsRoom['cancel'];
  tools: Tools;
  agents: Agents;
  remote: RemoteRuns;
  events: Events;
  notices: Notices;
  live: Live;
  approvals: Approvals;
  pickers: Pickers;
  mcp: McpRoom;
  files: FileStore;
  workspaces: Workspaces;
  deleting: Deleting;
  members: Members;
  settings: Settings;
  modelAddressProblem: RunsRoom['modelAddressProblem'];
  sessions: Sessions;
  keys: ApiKeys;
  budgets: Budgets;
  clients: Clients;
  clientGrants: ClientGrants;
  idempotency: Idempotency;
  audit: Audit;
  probes: readonly Probe[];
  figures: Parameters<typeof addHouseGauges>[1];
  storageFault: (error: unknown, how?: { reads: boolean }) => Fault | undefined;
  services: Services;
  sandbox: SandboxAddresses | undefined;
  publicUrl: URL;
  trustedProxies: readonly string[];
  webRoot: string;
  version: string;
  overview: Overview;
  waiting: Waiting;
  names: Names;
  intervals: Pick<Intervals, 'liveBeatMs'>;
  clock: Clock;
  log: Log;
};

const describe = (version: string) => ({
  openapi: '3.1.0',
  info: {
    title: 'Switchboard',
    version,
    description: "Lets AI agents use people's mail and boards. Errors have one shape; see the Error schema.",
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/' }],
});

export const createApp = (rooms: Rooms): OpenAPIHono<Env> & { quick: QuickDoor } => {
  const { publicUrl, log, clock } = rooms;
  const telemetry = createTelemetry({ log, clock });
  const look = addHouseGauges(telemetry.registry, rooms.figures, () => clock.now().getTime());
  const holderOf = createKeyHolder(rooms);
  const app = new OpenAPIHono<Env>({ defaultHook: refuseInvalid });
  app.onError(answerFailures(rooms.storageFault));
  app.notFound(answerUnknown);

  app.use('*', telemetry.watch);
  app.use('/v1/files/*', sealContent);
  app.use('/connect/*', keepOpener);
  app.use('/oauth/authorize', leadBack);
  app.use('*', securityHeaders(publicUrl));
  app.route('/', healthRoutes({ probes: rooms.probes, registry: telemetry.registry, look }));
  app.route('/', hookRoutes(rooms.events.intake));
  const places = oauthPlaces(publicUrl);
  const clientAddress = createClientAddress(rooms.trustedProxies);
  app.route('/', oauthRoutes({ ...rooms, clientAddress, places }));
  app.route('/', mcpRoutes({ mcp: rooms.mcp, holderOf: createMcpHolder({ ...rooms, holderOf, places }), places }));
  app.get('/pages.css', (c) => c.body(stylesheet, 200, { 'content-type': 'text/css; charset=utf-8' }));

  app.use('/v1/*', async (c, next) => {
    c.header('cache-control', 'no-store');
    await next();
  });
  const { approvals, runs, events } = rooms;
  const anew = {
    approvals: approvals.get,
    runs: runs.get,
    events: async (workspaceId: string, id: string) => ({
      ...(await events.history.get(workspaceId, id)),
      data: undefined,
    }),
  };
  app.use('/v1/*', identify({ ...rooms, holderOf }), bodyLimits, answerAgain({ ...rooms, anew }));
  app.route('/', sessionRoutes({ ...rooms, clientAddress }));
  app.route('/', workspaceRoutes(rooms));
  app.route('/', memberRoutes(rooms));
  app.route('/', apiKeyRoutes(rooms.keys));
  app.route('/', clientRoutes(rooms.clientGrants));
  app.route('/', auditRoutes(rooms.audit));
  app.route('/', catalogueRoutes(rooms));
  app.route('/', optionRoutes(rooms.pickers));
  app.route('/', fileRoutes(rooms.files));
  app.route('/', accountRoutes(rooms));
  app.route('/', connectRoutes(rooms));
  app.route('/', secretRoutes(rooms.secrets));
  app.route('/', settingsRoutes(rooms));
  const tellRun = createTellRun(rooms);
  app.route('/', runRoutes({ ...rooms, tellRun }));
  app.route('/', remoteRunRoutes(rooms.remote));
  app.route(
    '/',
    streamRoutes({ ...rooms, tellRun, streams: createStreams({ ...rooms, recall: createRecall(rooms) }) }),
  );
  app.route('/', overviewRoutes(rooms));
  app.route('/', toolRoutes(rooms));
  app.route('/', agentRoutes(rooms.agents));
  app.route('/', triggerRoutes(rooms.events));
  app.route('/', eventRoutes(rooms.events.history));
  app.route('/', approvalRoutes(rooms.approvals));
  app.route('/', webhookRoutes(rooms.notices));
  app.route('/', sandboxRoutes(rooms.sandbox));

  for (const each of noticeWebhooks) app.openAPIRegistry.registerWebhook(each);
  app.openAPIRegistry.registerComponent('securitySchemes', 'apiKey', { type: 'http', scheme: 'bearer' });
  app.openAPIRegistry.registerComponent('securitySchemes', 'session', {
    type: 'apiKey',
    in: 'cookie',
    name: 'switchboard',
    description: 'A browser session. Writes also need the header X-Switchboard-CSRF.',
  });
  // Both are large, open to all and always the same.
  const document = once(() => app.getOpenAPI31Document(describe(rooms.version)));
  const written = once(() => JSON.stringify(document()));
  const reference = once(() => referencePage(document() as unknown as ApiDocument));
  app.get('/v1/openapi.json', (c) => c.body(written(), 200, { 'content-type': 'application/json' }));
  app.get('/docs', (c) => c.html(reference()));
  app.route('/', signInLinkRoutes(rooms));
  app.route('/', connectPages(rooms));
  app.route('/', webApp(rooms.webRoot));
  const steps = createQuickDoor({ ...rooms, holderOf, telemetry });
  const hooks = createHookDoor({ ...rooms, intake: rooms.events.intake, telemetry });
  const quick: QuickDoor = (incoming, outgoing) => hooks(incoming, outgoing) || steps(incoming, outgoing);
  return Object.assign(app, { quick });
};
