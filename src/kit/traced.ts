import { ProxyTracerProvider, trace } from '@opentelemetry/api';

/** Whether the operator has brought a tracer. */
export const isTraced = (): boolean => {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer('switchboard') !== undefined;
};
