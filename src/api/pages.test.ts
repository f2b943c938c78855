import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { faultStatus } from '#kit';
import { type Workbench, workbench } from '#test';
import { once } from './once.ts';
import { webApp } from './pages/web-app.ts';

let bench: Workbench;
beforeAll(async () => {
  bench = await workbench();
});
afterAll(() => bench[Symbol.asyncDispose]());

test('the OpenAPI document is valid 3.1', async () => {
  const { body } = await bench.call('GET', '/v1/openapi.json');
  expect(body.openapi).toBe('3.1.0');
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-openapi-'));
  const file = join(folder, 'openapi.json');
  const config = join(folder, 'redocly.yaml');
  await writeFile(file, JSON.stringify(body));
  await writeFile(config, 'extends: [spec]\ntelemetry: off\n');
  const linter = new URL('../../node_modules/.bin/redocly', import.meta.url).pathname;
  const environment = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const linted = promisify(execFile)(process.execPath, [linter, 'lint', file, '--config', config], {
    env: environment,
  });
  await expect(linted).resolves.toMatchObject({ stderr: expect.stringContaining('valid') });
  await rm(folder, { recursive: true });
});

test('every operation tells every refusal there is, and everything that does something takes an Idempotency-Key', async () => {
  const { body } = await bench.call('GET', '/v1/openapi.json');
  type Described = { parameters?: { name: string }[]; responses: object; 'x-access': unknown };
  const operations = Object.entries(body.paths as Record<string, Record<string, Described>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, described]) => ({ name: `${method} ${path}`, method, ...described })),
  );
  const onlyLook = ['post /v1/tools/check', 'post /v1/triggers/preview'];
  // No operation that is described answers 405.
  const refusals = new Set(Object.values(faultStatus).filter((status) => status !== 405));
  for (const { name: asked, method, parameters = [], responses, 'x-access': access } of operations) {
    expect(Object.keys(responses)).toEqual(expect.arrayContaining([...refusals].map(String)));
    const takesKey = parameters.some(({ name }) => name === 'Idempotency-Key');
    expect([asked, takesKey]).toEqual([asked, method !== 'get' && access !== 'public' && !onlyLook.includes(asked)]);
  }
});

test('what is large and always the same is made once', () => {
  let made = 0;
  const get = once(() => ++made);
  expect([made, get(), get(), made]).toEqual([0, 1, 1, 1]);
});

test('the reference page shows every operation and runs no script', async () => {
  const { body: document } = await bench.call('GET', '/v1/openapi.json');
  const { body: page, headers } = await bench.call('GET', '/docs');
  for (const path of Object.keys(document.paths)) expect(page).toContain(path);
  expect(page).not.toContain('<script');
  expect(headers.get('content-security-policy')).toContain("default-src 'self'");
});

test('liveness, readiness and metrics need no credential and tell no secret', async () => {
  expect((await bench.call('GET', '/healthz')).body).toEqual({ status: 'alive' });
  expect((await bench.call('GET', '/readyz')).body).toEqual({ status: 'ready', database: 'ready', queue: 'ready' });
  await bench.owned('GET', '/v1/accounts/acc_123');
  const { body: metrics } = await bench.call('GET', '/metrics');
  expect(metrics).toContain('switchboard_http_requests_total{method="GET",route="/v1/accounts/:id",status="404"}');
  expect(metrics).not.toContain('acc_123');
  expect(metrics).toContain('switchboard_storage_up 1\n');
  for (const name of ['approvals_pending', 'runs_overdue', 'arrivals_waiting', 'effects_unknown', 'look_delay_seconds'])
    expect(metrics).toContain(`\nswitchboard_${name} 0\n`);
});

/** As Prometheus reads them: a field that it does not know stops its start. */
const Rules = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string(),
          expr: z.string(),
          for: z.string().optional(),
          labels: z.strictObject({ severity: z.enum(['page', 'warn']) }),
          annotations: z.strictObject({ summary: z.string().endsWith('.').or(z.string().endsWith('?')) }),
        }),
      ),
    }),
  ),
});

test('alerts and dashboard can be read, and ask for numbers that exist', async () => {
  const { body: metrics } = await bench.call('GET', '/metrics');
  const [alerts = '', dashboard = ''] = ['alerts.yml', 'dashboard.json'].map((name) =>
    readFileSync(new URL(`../../deploy/monitoring/${name}`, import.meta.url), 'utf8'),
  );
  const { panels } = z.object({ panels: z.array(z.object({ title: z.string() })) }).parse(JSON.parse(dashboard));
  const { groups } = Rules.parse(parse(alerts));
  expect([panels.length > 5, groups.flatMap(({ rules }) => rules).length > 10]).toEqual([true, true]);
  const asked = `${alerts}${dashboard}`.match(/\b(?:switchboard|nodejs|process)_[a-z0-9_]+/g) ?? [];
  const missing = asked.filter((name) => !metrics.includes(`# HELP ${name.replace(/_bucket$/, '')} `));
  expect(asked.length).toBeGreaterThan(20);
  expect(missing).toEqual([]);
});

test('every screen is there for whoever takes anything; elsewhere the page is for browsers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-web-'));
  await writeFile(join(folder, 'index.html'), '<!doctype html>');
  const app = webApp(folder);
  const status = async (path: string, accept?: string) =>
    (await app.request(path, accept === undefined ? {} : { headers: { accept } })).status;
  const router = readFileSync(new URL('../../web/src/router.tsx', import.meta.url), 'utf8');
  const paths = [...router.matchAll(/\bat\('([^']+)'/g)].map(([, path = '']) => path.replace(/\$\w+/, 'x'));
  expect(paths.length).toBeGreaterThan(15);
  for (const path of paths) {
    expect([path, await status(path), await status(path, '*/*')]).toEqual([path, 200, 200]);
    expect([path, await status(path, 'application/json')]).toEqual([path, 404]);
  }
  for (const path of ['/nothing', '/approvals/a/b', '/v2/runs']) {
    expect([path, await status(path, '*/*'), await status(path, 'text/html')]).toEqual([path, 404, 200]);
  }
  expect(await status('/v1/nothing', 'text/html')).toBe(404);
  await rm(folder, { recursive: true });
});

test('answers of the API are not cached, framed or sniffed', async () => {
  const { headers } = await bench.owned('GET', '/v1/workspace');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-frame-options')).toBe('DENY');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('access-control-allow-origin')).toBeNull();
});
