/** A mistake answered in the service's words; anything else that is thrown would be a bug of the sandbox. */
export class GraphError extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryAfter: number | undefined;
  readonly headers: Record<string, string>;
  /** The `code` inside `innerError`, where one is documented. */
  readonly innerCode: string | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    more: { retryAfter?: number; headers?: Record<string, string>; innerCode?: string } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = more.retryAfter;
    this.headers = more.headers ?? {};
    this.innerCode = more.innerCode;
  }
}

export type ErrorEnvelope = {
  error: {
    code: string;
    message: string;
    innerError: { date: string; 'request-id': string; 'client-request-id': string; code?: string };
  };
};

export const errorEnvelope = (
  error: { code: string; message: string; innerCode?: string | undefined },
  about: { date: Date; requestId: string; clientRequestId: string },
): ErrorEnvelope => ({
  error: {
    code: error.code,
    message: error.message,
    innerError: {
      ...(error.innerCode === undefined ? {} : { code: error.innerCode }),
      date: about.date.toISOString().slice(0, 19),
      'request-id': about.requestId,
      'client-request-id': about.clientRequestId,
    },
  },
});

export const badRequest = (message: string): GraphError => new GraphError(400, 'BadRequest', message);
export const invalidBody = (
  message = 'Unable to read JSON request payload. Please ensure Content-Type header is set and payload is of valid JSON format.',
): GraphError => new GraphError(400, 'RequestBodyRead', message);
export const itemNotFound = (): GraphError =>
  new GraphError(404, 'ErrorItemNotFound', 'The specified object was not found in the store.');
export const malformedId = (): GraphError => new GraphError(400, 'ErrorInvalidIdMalformed', 'Id is malformed.');
export const accessDenied = (message = 'Access is denied. Check credentials and try again.'): GraphError =>
  new GraphError(403, 'ErrorAccessDenied', message);
export const invalidProperty = (message: string): GraphError =>
  new GraphError(400, 'ErrorPropertyValidationFailure', message);
export const noSuchSegment = (segment: string): GraphError =>
  new GraphError(400, 'BadRequest', `Resource not found for the segment '${segment}'.`);
export const conflict = (): GraphError =>
  new GraphError(
    412,
    'ErrorIrresolvableConflict',
    'The send or update operation could not be performed because the change key passed in the request does not match the current change key for the item.',
  );
