import type { ErrorHandler, NotFoundHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { z } from 'zod';
import { detailsOf, Fault, inOneLine, otherNames, wrongFields } from '#kit';
import type { Log } from '#log';
import { access } from './access.ts';
import { notJson, refuseText } from './body-limits.ts';
import type { Env } from './env.ts';
import { type About, about } from './telemetry.ts';

const notAnObject = 'The body must be a JSON object.';
const isWhole = ({ path, code }: Parameters<typeof wrongFields>[0][number]): boolean =>
  path.length === 0 && code === 'invalid_type';

/** What a schema refused, field by field. */
export const refuse = (issues: Parameters<typeof wrongFields>[0]): Fault => {
  const found = wrongFields(issues.map((issue) => (isWhole(issue) ? { ...issue, message: notAnObject } : issue)));
  const text = inOneLine(found);
  // What is wrong with the whole is wrong with no field.
  const fields = found.filter(({ field }) => field !== '');
  const details = fields.length === 0 ? {} : { details: { fields } };
  return new Fault('invalid_input', `The request is malformed. ${text}${otherNames(issues)}`, details);
};

export const refuseInvalid = (result: { success: true } | { success: false; error: z.ZodError }): void => {
  if (!result.success) throw refuse(result.error.issues);
};

const fromHttp = (error: HTTPException): Fault => {
  if (error.status === 400) return new Fault('invalid_input', `The request is malformed. ${error.message}`);
  if (error.status === 413) return new Fault('too_large', 'The body is larger than this takes; send less.');
  if (error.status === 415) return notJson();
  return new Fault('internal', 'Something went wrong on our side.', { cause: error });
};

export const toFault = (error: unknown, storageFault: (error: unknown) => Fault | undefined): Fault => {
  if (error instanceof Fault) return error;
  if (error instanceof HTTPException) return fromHttp(error);
  const unforeseen = () =>
    new Fault('internal', 'Something went wrong on our side; quote the request id.', { cause: error });
  return storageFault(error) ?? unforeseen();
};

const realm = 'Bearer realm="Switchboard"';

/** While storage is away all requests fail for one reason: without their ids it is told once in a while, not by each. */
const tell = (fault: Fault, { log, asked }: { log: Log; asked: About }): void => {
  const { code, status } = fault;
  const err = fault.cause ?? fault;
  if (code === 'unavailable') log.warn({ err, code }, 'requests cannot be served now');
  else if (status >= 500) log.error({ ...asked, err, code }, 'a request failed');
};

/** Every failure leaves in one shape. What was not foreseen is logged and told without detail. `tried`: with a credential. */
export const answerTo = (fault: Fault, { log, asked, tried = false }: { log: Log; asked: About; tried?: boolean }) => {
  const { code, message, retryAfterMs, status } = fault;
  const details = detailsOf(fault);
  tell(fault, { log, asked });
  const headers: Record<string, string> = {
    ...(retryAfterMs === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) }),
    ...(status === 401 ? { 'www-authenticate': tried ? `${realm}, error="invalid_token"` : realm } : {}),
  };
  return { status, headers, body: { error: { code, message, details, retryAfterMs, requestId: asked.requestId } } };
};

export const answerFailures =
  (storageFault: (error: unknown, how: { reads: boolean }) => Fault | undefined): ErrorHandler<Env> =>
  (error, c) => {
    const reads = /^(?:GET|HEAD)$/.test(c.req.method);
    const { requestId, log, caller } = c.var;
    const tried = c.req.header('authorization') !== undefined;
    const asked = about(requestId, caller);
    const isNoJson = error instanceof HTTPException && error.message.startsWith('Malformed JSON');
    const { status, headers, body } = answerTo(
      isNoJson ? refuseText(c.var.body) : toFault(error, (each) => storageFault(each, { reads })),
      { log, asked, tried },
    );
    // The door of MCP says more.
    if (c.res.headers.has('www-authenticate')) delete headers['www-authenticate'];
    return c.json(body, status, headers);
  };

const open = ['GET /healthz', 'GET /readyz', 'GET /metrics', 'GET /docs', 'GET /v1/openapi.json'];
const places = [...Object.keys(access), ...open].map((name) => {
  const [method = '', path = ''] = name.split(' ');
  return { method, place: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`) };
});

export const answerUnknown: NotFoundHandler<Env> = (c) => {
  const methods = places
    .filter(({ place }) => place.test(c.req.path))
    // What can be read can be asked for without its body.
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  if (methods.length === 0) throw new Fault('not_found', `There is nothing at ${c.req.path}; see /docs.`);
  c.header('allow', methods.join(', '));
  throw new Fault('method_not_allowed', `${c.req.path} takes ${methods.join(', ')}.`);
};
