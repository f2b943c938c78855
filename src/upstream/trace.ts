import { INVALID_SPAN_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { Fault, isTraced, type Method } from '#kit';

/** A path without what names a person or a thing: segments that look like ids or addresses are left out. */
export const templateOf = (path: string): string =>
  path.replace(/[^/]+/g, (segment) => (/^\$?[A-Za-z][A-Za-z.]{0,30}$|^v?\d(\.\d)?$/.test(segment) ? segment : '{id}'));

/** A call as logs and traces name it. */
export type Described = { method: Method; host: string; template: string };

const tracer = trace.getTracer('switchboard.upstream');
const unseen = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

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
