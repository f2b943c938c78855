import { Hono } from 'hono';
import type { Registry } from 'prom-client';
import type { Env } from './env.ts';

/** `full` stays in service: what can be read is still read. With one that only reads, no request by a key is answered. */
export type Probe = { name: string; ready(): Promise<boolean | 'ready' | 'full' | 'only reads'> };

const probeMs = 2_000;

const stateOf = async ({ ready }: Probe): Promise<'ready' | 'full' | 'only reads' | 'away'> => {
  const late = new Promise<false>((resolve) => setTimeout(resolve, probeMs, false).unref());
  const state = await Promise.race([ready().catch(() => false as const), late]);
  if (state === true) return 'ready';
  return state === false ? 'away' : state;
};

/** Liveness, readiness and numbers, for machines. */
export const healthRoutes = (options: { probes: readonly Probe[]; registry: Registry; look: () => Promise<void> }) =>
  new Hono<Env>()
    .get('/healthz', (c) => c.json({ status: 'alive' }))
    .get('/readyz', async (c) => {
      const states = await Promise.all(
        options.probes.map(async (probe) => [probe.name, await stateOf(probe)] as const),
      );
      const ready = states.every(([, state]) => state === 'ready' || state === 'full');
      return c.json({ status: ready ? 'ready' : 'not ready', ...Object.fromEntries(states) }, ready ? 200 : 503);
    })
    .get('/metrics', async (c) => {
      await options.look();
      c.header('content-type', options.registry.contentType);
      return c.body(await options.registry.metrics());
    });
