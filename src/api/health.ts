import { Hono } from 'hono';
import type { Registry } from 'prom-client';
import type { Env } from './env.ts';

export type Probe = { name: string; ready(): Promise<boolean> };

const probeMs = 2_000;

const isReady = async ({ ready }: Probe): Promise<boolean> => {
  const late = new Promise<false>((resolve) => setTimeout(resolve, probeMs, false).unref());
  return Promise.race([ready().catch(() => false), late]);
};

/** Liveness, readiness and numbers, for machines. */
export const healthRoutes = (options: { probes: readonly Probe[]; registry: Registry; look: () => Promise<void> }) =>
  new Hono<Env>()
    .get('/healthz', (c) => c.json({ status: 'alive' }))
    .get('/readyz', async (c) => {
      const states = await Promise.all(
        options.probes.map(async (probe) => [probe.name, await isReady(probe)] as const),
      );
      const ready = states.every(([, good]) => good);
      const shown = Object.fromEntries(states.map(([name, good]) => [name, good ? 'ready' : 'away']));
      return c.json({ status: ready ? 'ready' : 'not ready', ...shown }, ready ? 200 : 503);
    })
    .get('/metrics', async (c) => {
      await options.look();
      c.header('content-type', options.registry.contentType);
      return c.body(await options.registry.metrics());
    });
