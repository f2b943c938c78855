import { Fault } from '#kit';

export type Silence =
  | 'not_allowed'
  | 'connect'
  | 'lost'
  | 'malformed'
  | 'too_large'
  | 'deadline'
  | 'aborted'
  | 'closed'
  | 'busy';

/** Why a call ended without an answer, and whether any of it may have reached the service. */
export class NoAnswer extends Error {
  readonly reason: Silence;
  readonly sent: boolean;
  readonly status: number | undefined;

  constructor(reason: Silence, sent: boolean, status?: number) {
    super(`no answer: ${reason}`);
    this.reason = reason;
    this.sent = sent;
    this.status = status;
  }
}

const happened: Record<Exclude<Silence, 'too_large'>, string> = {
  not_allowed: 'The address of the service lies in a network that must not be reached.',
  connect: 'The service cannot be reached.',
  lost: 'The connection to the service broke before its answer was complete.',
  malformed: 'The service answered with something that is not HTTP.',
  deadline: 'The service did not answer in time.',
  aborted: 'The call was stopped before the service answered.',
  closed: 'The call was stopped because this process is ending.',
  busy: 'Too many calls to the service are waiting already.',
};

const mebibyte = 1_048_576;
const sizeOf = (bytes: number): string =>
  bytes < mebibyte ? `${bytes.toLocaleString('en')} bytes` : `${Math.floor(bytes / mebibyte)} MB`;

/** What the caller is told. Only what is known enters it: no address, no header, no body. */
export const faultFor = ({ reason, sent, status }: NoAnswer, read: boolean, maxBytes: number): Fault => {
  const what =
    reason === 'too_large' ? `The answer of the service is larger than ${sizeOf(maxBytes)}.` : happened[reason];
  const details = { reason, sent, ...(status === undefined ? {} : { status }) };
  if (sent && !read) {
    return new Fault('outcome_unknown', `${what} It may have happened: look before you repeat it.`, {
      details,
    });
  }
  if (reason === 'too_large') {
    return new Fault('too_large', `${what} Ask for fewer items or fields.`, { details });
  }
  // Of what was done before it, in the same step, this call knows nothing.
  const next = read ? 'Try again later.' : 'This was not done; try again later.';
  return new Fault('upstream_unavailable', `${what} ${next}`, { details });
};

/** Whether a failed write may have happened all the same. */
export const isAmbiguous = (fault: unknown): boolean => fault instanceof Fault && fault.code === 'outcome_unknown';
