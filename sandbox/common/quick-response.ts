import { getRequestListener } from '@hono/node-server';

/**
 * The Response that node-server writes straight to the socket; a standard one is read back through a stream, which costs
 * more than most answers of the sandbox. node-server only offers it by replacing the global classes, and those must stay
 * standard for whoever shares the process, so it is taken from there and the globals are put back.
 */
const takeQuickResponse = (): typeof Response => {
  const standard = { Request: globalThis.Request, Response: globalThis.Response };
  getRequestListener(() => new Response(), { overrideGlobalObjects: true });
  const quick = globalThis.Response;
  for (const [name, value] of Object.entries(standard))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true, enumerable: false });
  return quick;
};

export const QuickResponse = takeQuickResponse();
