import { fileURLToPath } from 'node:url';
import { createAccountsRoom } from '#accounts';
import { createApp, type Listening, listen } from '#api';
import { systemClock } from '#clock';
import { type Config, edition, root, sandboxAddresses, version } from '#config';
import {
  createApprovalRecords,
  createApprovals,
  createClearance,
  createDoneLately,
  createEffectRecords,
  createGuard,
  createPlanner,
} from '#effects';
import { brokenWith, createEvents, createFarewell, keepPauseOfAccount, lookAgain, type Telling } from '#events';
import { createJobs, startSweeping } from '#jobs';
import { Catalogue, servicesOf, tellMisfits } from '#kit';
import type { Log } from '#log';
import { createMcp } from '#mcp';
import { createLive, createNotices } from '#notices';
import { advanceJob, createFiles, createLeases, createPickers, createRunsRoom, handOver, startTakeover } from '#runs';
import {
  calledAt,
  createSealer,
  followDatabaseTime,
  keyRingFor,
  migrate,
  openStore,
  otherAddresses,
  readFigures,
  requireKeys,
  storageFault,
} from '#store';
import { createUpstreamClient, createWebFiles, guardedConnector, mayReach } from '#upstream';
import { createDeleting, createRetention, createWorkspacesRoom, ensureFirstOwner, terminal } from '#workspaces';
import { integrations } from './integrations/index.ts';

/** What one process does: answer requests, carry the backlog, or both. */
export type Mode = 'all' | 'api' | 'worker';

export type Switchboard = {
  /** Where it listens, unless it only works. */
  port: number | undefined;
  /** A one-time link for the first owner. */
  signInLink(): Promise<string>;
  /** Takes nothing new, finishes what is under way, and ends. */
  stop(): Promise<void>;
};

/** How many runs that nobody waits for a working process carries at once, besides those of its queue. */
const runsAtOnce = 256;

/** Puts the rooms together and opens the doors. */
export const startSwitchboard = async (options: {
  config: Config;
  connectionString: string;
  mode: Mode;
  log: Log;
}): Promise<Switchboard> => {
  const { config, connectionString, mode, log } = options;
  const { intervals, publicUrl } = config;
  tellMisfits();
  const { done, newer } = await migrate(connectionString, {
    told: (reason) =>
      log.warn({ reason }, 'somebody holds a table that a migration changes, a backup perhaps; trying again'),
  });
  if (done.length > 0) log.info({ from: done[0], to: done.at(-1) }, 'the database was brought to the newest version');
  if (newer.length > 0) log.warn({ newer }, 'the database is of a newer version; start that one here, too, soon');

  const store = openStore({ connectionString, max: config.databasePool, log, name: calledAt(publicUrl.origin) });
  const others = await otherAddresses(store, publicUrl.origin);
  if (others.length > 0)
    log.warn({ here: publicUrl.origin, others }, 'processes on this database have another PUBLIC_URL; set one in all');
  const time = await followDatabaseTime({ store, log });
  const clock = systemClock(config.clockOffsetMs, time.now);
  const restoredAt = await store.familiar.begin();
  if (restoredAt !== undefined) log.info({ restoredAt }, 'older runs look at the services before they write');
  const ring = keyRingFor(config);
  await requireKeys(store, ring, config, log);
  const sealer = createSealer(ring);
  const services = servicesOf(integrations, config.services);
  const catalogue = new Catalogue(integrations, services);
  const client = createUpstreamClient({ clock, log, allowPrivate: config.sandbox.enabled });

  const people = createWorkspacesRoom({ store, clock, sealer });
  const { sessions, keys, clientGrants, idempotency, settings } = people;
  // What receivers choose is called from here, so only the sandbox's may stand on this machine, and none beside it.
  const allowPrivate = config.sandbox.enabled ? 'loopback' : false;
  const outside = {
    connect: guardedConnector({ allowPrivate, timeoutMs: 10_000 }),
    mayReach: (address: string) => mayReach(address, allowPrivate),
    plainLoopback: config.sandbox.enabled,
  };
  const web = createWebFiles({ web: outside, clock });
  const notices = createNotices({
    store,
    sealer,
    clock,
    intervals,
    log,
    jobs: () => jobs,
    outside,
    smtp: config.smtp,
    publicUrl,
  });
  const tellBroken: Telling['broken'] = (tx, broken) =>
    notices.emit(
      tx,
      broken.map(({ workspaceId, ...data }) => ({ workspaceId, type: 'trigger.broken', data })),
    );
  const leaving = createFarewell({ approvals: () => approvals, leaving: () => events.leaving, log });
  const { accounts, secrets, connects, connecting, caller, ...held } = createAccountsRoom({
    store,
    sealer,
    clock,
    intervals,
    log,
    catalogue,
    client,
    services,
    publicUrl,
    onNeedsReconnect: async (tx, { workspaceId, ...data }) => {
      await notices.emit(tx, { workspaceId, type: 'account.needs_reconnect', data });
      await tellBroken(tx, await brokenWith(tx, { workspaceId, ...data }));
    },
    onReconnected: lookAgain,
    onResumed: keepPauseOfAccount,
    farewell: leaving.farewell,
  });
  const deleting = createDeleting({
    store,
    clock,
    log,
    leave: ({ workspaceId, id, kind }, actor) => held.disconnect(workspaceId, id, kind, actor),
  });
  const asked = createApprovalRecords({
    store,
    clock,
    tell: async (tx, { accountName, subject, ...approval }) => {
      const { workspaceId, expiresAt, ...ids } = approval;
      const data = { ...ids, expiresAt: expiresAt.toISOString() };
      await notices.emit(tx, { workspaceId, type: 'approval.requested', data });
      await notices.tellApprovers(tx, { ...approval, accountName, subject });
    },
  });
  const approvals = createApprovals({
    store,
    clock,
    intervals,
    queue: (tx, run) => handOver(jobs, advance, [run], tx),
    recompose: (waiting, changes) => recompose(waiting, changes),
    openEnclosed: (waiting, place) => openEnclosed(waiting, place),
  });
  const planner = createPlanner({ caller, edition });
  const clearance = createClearance({ planner, records: asked });
  const guard = createGuard({
    records: createEffectRecords({ store, clock }),
    caller,
    clearance,
    clock,
    intervals,
    restoredAt: store.familiar.restoredAt,
  });
  const leases = createLeases({ store, log, intervals });
  const files = createFiles({ store, clock });
  const working = mode !== 'api';
  const { runs, retry, cancel, tools, agents, callOff, starts, remote, recompose, openEnclosed, modelAddressProblem } =
    createRunsRoom({
      store,
      clock,
      intervals,
      log,
      catalogue,
      accounts,
      caller,
      guard,
      planner,
      clearance,
      approvals: asked,
      decisions: approvals,
      doneLately: createDoneLately(store),
      files,
      web,
      leases,
      capacity: working ? runsAtOnce : 0,
      handOver: (orphans, tx) => handOver(jobs, advance, orphans, tx),
      storageFault,
      sealer,
      courier: notices.courier,
      publicUrl,
      models: {
        settings: config.model,
        own: settings.model,
        plainLoopback: config.sandbox.enabled,
        connect: outside.connect,
      },
      telling: {
        wanted: (workspaceIds) => notices.wanted('run.finished', workspaceIds),
        tell: (tx, ended) =>
          notices.emit(
            tx,
            ended.map(({ workspaceId, ...data }) => ({ workspaceId, type: 'run.finished', data })),
          ),
      },
    });

  const advance = advanceJob(() => runs);
  const jobs = createJobs({
    connectionString,
    jobs: [advance, ...notices.jobs],
    log,
    clock,
    intervals: { heartbeatMs: intervals.jobHeartbeatMs },
    connections: Math.floor(config.databasePool / 2),
  });
  await jobs.start({ work: working });

  const owner = await ensureFirstOwner({ store, clock });
  if (config.bootstrapApiKey !== undefined) await keys.bootstrap(owner.workspaceId, config.bootstrapApiKey);

  const events = createEvents({
    store,
    clock,
    intervals,
    log,
    catalogue,
    accounts,
    agents,
    callOff,
    caller,
    signingSecretOf: held.signingSecretOf,
    starts,
    telling: {
      wantFired: (workspaceIds) => notices.wanted('event.fired', workspaceIds),
      fired: (tx, fired) =>
        notices.emit(
          tx,
          fired.map(({ workspaceId, ...data }) => ({ workspaceId, type: 'event.fired', data })),
        ),
      broken: tellBroken,
    },
    owner: leases.owner,
    // A service reaches only an address that the world can reach; the sandbox reaches this machine.
    callbackBase: config.sandbox.enabled || publicUrl.protocol === 'https:' ? publicUrl : undefined,
    isReachedElsewhere: async () =>
      (await otherAddresses(store, publicUrl.origin)).some((each) => each.startsWith('https:')),
    works: working,
  });
  const takeover = working ? startTakeover({ leases, jobs, job: advance, clock, intervals, log }) : undefined;
  const sweeping = working
    ? startSweeping({
        sweeps: [
          people.budgets,
          sessions,
          clientGrants,
          idempotency,
          files,
          connecting,
          createRetention({ store }),
          notices,
          approvals,
          store.pulse,
          held.revocations,
          leaving,
          deleting,
        ],
        clock,
        intervals,
        log,
      })
    : undefined;

  const mcp = createMcp({ catalogue, accounts, runs, tools, agents, remote, storageFault, publicUrl, version, log });
  const live = createLive({ store, clock, intervals, log });
  let door: Listening | undefined;
  if (mode !== 'worker') {
    const app = createApp({
      ...people,
      deleting,
      catalogue,
      accounts,
      connects,
      secrets,
      runs,
      retry,
      cancel,
      tools,
      agents,
      remote,
      events,
      notices,
      live,
      approvals,
      mcp,
      pickers: createPickers({ catalogue, accounts, caller }),
      files,
      modelAddressProblem,
      probes: [
        { name: 'database', ready: () => store.ping() },
        { name: 'queue', ready: () => jobs.ready() },
      ],
      figures: () => readFigures(store, sealer),
      storageFault,
      services,
      sandbox: sandboxAddresses(config),
      publicUrl,
      trustedProxies: config.trustedProxies,
      intervals,
      webRoot: fileURLToPath(new URL('dist/web', root)),
      version,
      clock,
      log,
    });
    door = await listen({ fetch: app.fetch, quick: app.quick, hostname: config.host, port: config.port });
  }
  log.info({ mode, port: door?.port, sandbox: config.sandbox.enabled }, 'Switchboard is ready');

  const stop = async (): Promise<void> => {
    mcp.close();
    live.close();
    await door?.close(intervals);
    await Promise.all([takeover?.stop(), sweeping?.stop(), events.stop()]);
    await runs.drain(intervals.drainMs);
    await jobs.stop({ drainMs: intervals.drainMs });
    await notices.close();
    await web.close();
    leases.close();
    await held.close(intervals.drainMs);
    await client.close();
    time.close();
    await store.close();
  };

  return {
    port: door?.port,
    signInLink: async () => {
      const { token } = await sessions.createLink(owner.workspaceId, owner.personId, terminal);
      return new URL(`/sign-in/${token}`, publicUrl).href;
    },
    stop,
  };
};
