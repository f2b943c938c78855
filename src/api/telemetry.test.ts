import { type Tracer, trace } from '@opentelemetry/api';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '#clock';
import { silentLog } from '#log';
import { createTelemetry } from './telemetry.ts';

afterAll(() => trace.disable());

const telemetry = createTelemetry({ log: silentLog, clock: systemClock() });
const answered = async () => ({ route: '/v1/things/:id', status: 503, asked: { requestId: 'req_1' } });

test('a request is counted by its route, and leaves a span once the operator has brought a tracer', async () => {
  await telemetry.record('GET', answered);
  const spans: Record<string, unknown>[] = [];
  const tracer = {
    startActiveSpan: (first: string, work: (span: unknown) => unknown) => {
      const told: Record<string, unknown> = { first };
      spans.push(told);
      return work({
        updateName: (name: string) => Object.assign(told, { name }),
        setAttributes: (attributes: object) => Object.assign(told, { attributes }),
        setStatus: (status: object) => Object.assign(told, { status }),
        end: () => Object.assign(told, { ended: true }),
      });
    },
  };
  // One that was there before, and went, gets nothing more.
  trace.setGlobalTracerProvider({ getTracer: () => ({}) as Tracer });
  trace.disable();
  trace.setGlobalTracerProvider({ getTracer: () => tracer as unknown as Tracer });
  await telemetry.record('GET', answered);

  expect(spans).toEqual([
    {
      first: 'GET request',
      name: 'GET /v1/things/:id',
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/v1/things/:id',
        'http.response.status_code': 503,
      },
      status: { code: 2 },
      ended: true,
    },
  ]);
  expect(await telemetry.registry.getSingleMetricAsString('switchboard_http_requests_total')).toContain(
    '{method="GET",route="/v1/things/:id",status="503"} 2',
  );
});
