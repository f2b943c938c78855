import {
  INVALID_SPAN_CONTEXT,
  ProxyTracerProvider,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { Fault, type Method } from '#kit';

/** A path without what names a person or a thing: segments that look like ids or addresses are left out. */
export const templateOf = (path: string): string =>
  path.replace(/[^/]+/g, (segment) => (/^\$?[A-Za-z][A-Za-z.]{0,30}$|^v?\d(\.\d)?$/.test(segment) ? segment : '{id}'));

/** A call as logs and traces name it. */
export type Described = { method: Method; host: string; template: string };

const name = 'switchboard.upstream';
const tracer = trace.getTracer(name);
const unseen = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

/** Whether the operator has brought a tracer. */
export const isTraced = (): boolean => {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer(name) !== undefined;
};

/** One span for each call: method, host and path template, never the query, a header or a body. */
export const traced = <Result>(describe: () => Described, work: (span: Span) => Promise<Result>): Promise<Result> => {
  if (!isTraced()) return work(unseen);
  const { method, host, template } = describe();
  return tracer.startActiveSpan(
    `${method} ${template}`,
    {
      kind: SpanKind.CLIENT,
      attributes: { 'http.request.method': method, 'server.address': host, 'url.template': template },
    },
    async (span) => {
      try {
        return await work(span);
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        span.setAttribute('error.type', error instanceof Fault ? error.code : 'internal');
        throw error;
      } finally {
        span.end();
      }
    },
  );
};
