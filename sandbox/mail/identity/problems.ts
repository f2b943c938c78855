import { randomUUID } from 'node:crypto';

/** A refusal in the identity platform's words: an OAuth error name and an AADSTS number. */
export class IdentityProblem extends Error {
  readonly error: string;
  readonly code: number;
  readonly status: number;
  readonly suberror: string | undefined;
  readonly claims: string | undefined;

  constructor(error: string, code: number, message: string, more: { suberror?: string; claims?: string } = {}) {
    super(message);
    this.error = error;
    this.code = code;
    this.status = error === 'invalid_client' ? 401 : 400;
    this.suberror = more.suberror;
    this.claims = more.claims;
  }
}

export type Trace = { traceId: string; correlationId: string; timestamp: string };

export const traceOf = (now: number, correlationId?: string): Trace => ({
  traceId: randomUUID(),
  correlationId: correlationId ?? randomUUID(),
  timestamp: `${new Date(now).toISOString().slice(0, 19).replace('T', ' ')}Z`,
});

export const describe = ({ code, message }: IdentityProblem, trace: Trace): string =>
  `AADSTS${code}: ${message}\r\nTrace ID: ${trace.traceId}\r\nCorrelation ID: ${trace.correlationId}\r\nTimestamp: ${trace.timestamp}`;

/** The body of a refused token request. */
export const problemBody = (problem: IdentityProblem, trace: Trace) => ({
  error: problem.error,
  error_description: describe(problem, trace),
  error_codes: [problem.code],
  timestamp: trace.timestamp,
  trace_id: trace.traceId,
  correlation_id: trace.correlationId,
  error_uri: `https://login.microsoftonline.com/error?code=${problem.code}`,
  ...(problem.suberror === undefined ? {} : { suberror: problem.suberror }),
  ...(problem.claims === undefined ? {} : { claims: problem.claims }),
});

export const missingParameter = (name: string) =>
  new IdentityProblem('invalid_request', 900144, `The request body must contain the following parameter: '${name}'.`);

export const malformed = () =>
  new IdentityProblem('invalid_request', 9002313, 'Invalid request. Request is malformed or invalid.');

export const notConsented = (clientId: string, appName: string, error = 'invalid_grant') =>
  new IdentityProblem(
    error,
    65001,
    `The user or administrator has not consented to use the application with ID '${clientId}' named '${appName}'. Send an interactive authorization request for this user and resource.`,
    error === 'invalid_grant' ? { suberror: 'consent_required' } : {},
  );
