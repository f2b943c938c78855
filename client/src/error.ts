import type { ErrorDetails } from './generated/routes.ts';

type Reason = {
  code: string;
  message: string;
  details?: ErrorDetails;
  retryAfterMs?: number;
  requestId?: string;
};

/** A refusal, with a code to act on and a message to show. `status` 0: the server was not reached. */
export class SwitchboardError extends Error {
  override name = 'SwitchboardError';
  readonly status: number;
  readonly code: string;
  readonly details: ErrorDetails | undefined;
  readonly retryAfterMs: number | undefined;
  readonly requestId: string | undefined;

  constructor(status: number, { code, message, details, retryAfterMs, requestId }: Reason) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.retryAfterMs = retryAfterMs;
    this.requestId = requestId;
  }
}

export const refusalOf = async (response: Response): Promise<SwitchboardError> => {
  const body = (await response.json().catch(() => undefined)) as { error?: Reason } | undefined;
  const unexplained = { code: 'internal', message: `The server answered ${response.status}. Try again later.` };
  return new SwitchboardError(response.status, body?.error ?? unexplained);
};
