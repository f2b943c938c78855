import { type Attributes, type Tracer, trace } from '@opentelemetry/api';
import { afterAll, expect, test } from 'vitest';
import { path } from '#kit';
import { templateOf } from './trace.ts';
import { failureOf, newClient, upstreamServer } from './upstream-server.fixture.ts';

test.each([
  ['/1/cards', '/1/cards'],
  ['/1/cards/5f3a0c9e2b1d4e6f7a8b9c0d/idLabels', '/1/cards/{id}/idLabels'],
  ['/me/mailFolders/AAMkAG%2Fx/messages', '/me/mailFolders/{id}/messages'],
  ['/users/ann@example.com/$batch', '/users/{id}/$batch'],
])('the path %s is traced as %s', (full, template) => {
  expect(templateOf(full)).toBe(template);
});

afterAll(() => trace.disable());

test('each call leaves one span that names neither query, id nor credential', async () => {
  const spans: { name: string; attributes: Attributes; ended: boolean }[] = [];
  const tracer = {
    // Whoever asked for a tracer meanwhile keeps this one, in the files that come after this, too.
    startActiveSpan: (name: string, ...rest: unknown[]) => {
      const work = rest.at(-1) as (span: unknown) => unknown;
      const { attributes = {} } = (rest.length > 1 ? rest[0] : {}) as { attributes?: Attributes };
      const span = { name, attributes: { ...attributes }, ended: false };
      spans.push(span);
      const known: Record<string, unknown> = {
        setAttribute: (key: string, value: string) => Object.assign(span.attributes, { [key]: value }),
        end: () => Object.assign(span, { ended: true }),
      };
      return work(new Proxy(known, { get: (target, name) => target[String(name)] ?? (() => false) }));
    },
  };
  trace.setGlobalTracerProvider({ getTracer: () => tracer as unknown as Tracer });
  await using upstream = await upstreamServer();
  const request = { method: 'GET', path: path`/me/messages/${'secret-1'}`, query: { q: 'secret-2' } } as const;
  const client = newClient();

  await client.call({ base: new URL(upstream.origin), request, headers: { authorization: 'secret-3' } });
  await failureOf(
    client.call({ base: new URL('http://127.0.0.1:1'), request, headers: { authorization: 'secret-3' } }),
  );

  expect(spans).toMatchObject([
    { name: 'GET /me/messages/{id}', ended: true, attributes: { 'http.response.status_code': 200 } },
    { name: 'GET /me/messages/{id}', ended: true, attributes: { 'error.type': 'upstream_unavailable' } },
  ]);
  expect(JSON.stringify(spans)).not.toContain('secret');
});
