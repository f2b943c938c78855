import { SpanStatusCode, trace } from '@opentelemetry/api';
import { createMiddleware } from 'hono/factory';
import { routePath } from 'hono/route';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Clock } from '#clock';
import { isTraced } from '#kit';
import type { Log } from '#log';
import type { Caller } from '#workspaces';
import type { Env } from './env.ts';
import { newRequestId } from './request-id.ts';

/** Whose request a log line is about. */
export type About = { requestId: string; workspace?: string; caller?: string };

/** How a request went. */
type Outcome = { route: string; status: number; asked: About };

export type Telemetry = {
  registry: Registry;
  watch: ReturnType<typeof createMiddleware<Env>>;
  /** Gives what is done for one request its span, its log line and its place in the metrics. */
  record(method: string, work: () => Promise<Outcome>): Promise<void>;
};

const quiet = new Set(['/healthz', '/readyz', '/metrics']);

export const about = (requestId: string, caller: Caller | undefined): About =>
  caller === undefined ? { requestId } : { requestId, workspace: caller.workspaceId, caller: caller.actor.id };

/** Gives each request an id, a log line, a span and its place in the metrics. Addresses are named by route, not by id. */
export const createTelemetry = ({ log, clock }: { log: Log; clock: Clock }): Telemetry => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const labelNames = ['method', 'route', 'status'] as const;
  const requests = new Counter({
    name: 'switchboard_http_requests_total',
    help: 'Requests answered.',
    labelNames,
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'switchboard_http_request_seconds',
    help: 'Time to answer.',
    labelNames: ['method', 'route'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });

  type Tally = { count(): void; observe(seconds: number): void };
  const tallies = new Map<string, Tally>();
  /** Finding the place of a request in the metrics costs more than counting it. */
  const tallyOf = (method: string, route: string, status: number): Tally => {
    const name = `${method} ${route} ${status}`;
    const known = tallies.get(name);
    if (known !== undefined) return known;
    const [counted, timed] = [requests.labels(method, route, String(status)), durations.labels(method, route)];
    const tally = { count: () => counted.inc(), observe: (seconds: number) => timed.observe(seconds) };
    tallies.set(name, tally);
    return tally;
  };

  const measure = async (method: string, work: () => Promise<Outcome>): Promise<Outcome> => {
    const started = performance.now();
    const outcome = await work();
    const { route, status, asked } = outcome;
    const ms = performance.now() - started;
    const tally = tallyOf(method, route, status);
    tally.count();
    tally.observe(ms / 1000);
    if (log.isLevelEnabled('info') && !quiet.has(route))
      log.info({ ...asked, method, route, status, ms: Math.round(ms * 10) / 10 }, 'request');
    return outcome;
  };

  const record: Telemetry['record'] = async (method, work) => {
    if (!isTraced()) {
      await measure(method, work);
      return;
    }
    // Asked for each time: one that is kept stays with the provider that was there first.
    await trace.getTracer('switchboard').startActiveSpan(`${method} request`, async (span) => {
      const { route, status } = await measure(method, work);
      span.updateName(`${method} ${route}`);
      span.setAttributes({ 'http.request.method': method, 'http.route': route, 'http.response.status_code': status });
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
  };

  const watch = createMiddleware<Env>(async (c, next) => {
    const requestId = newRequestId(clock.now());
    c.set('requestId', requestId);
    c.set('log', log);
    c.header('x-request-id', requestId);
    await record(c.req.method, async () => {
      await next();
      // Of the handler that was reached last, the one that answered.
      return { route: routePath(c), status: c.res.status, asked: about(requestId, c.var.caller) };
    });
  });
  return { registry, watch, record };
};
