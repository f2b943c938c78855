import { z } from 'zod';
import { Fault, type FaultCode, type UpstreamAnswer, waitAsked } from '#kit';

const Envelope = z.object({
  error: z.object({
    code: z.string().nullish(),
    message: z.string().nullish(),
    innerError: z.object({ code: z.string().nullish() }).nullish(),
  }),
});

const longest = 300;

type Refusal = { code: string | undefined; reason: string };

const read = (body: unknown): Refusal => {
  const json = Envelope.safeParse(body);
  if (json.success) {
    const { code, message, innerError } = json.data.error;
    return {
      code: code ?? innerError?.code ?? undefined,
      reason: (message ?? code ?? 'no reason given').slice(0, longest),
    };
  }
  const text = typeof body === 'string' ? body.trim() : '';
  // A gateway's page is no reason.
  return { code: undefined, reason: text === '' || text.startsWith('<') ? 'no reason given' : text.slice(0, longest) };
};

/** Refusals by the service's own code: what we call them, and what to do next. */
const byCode: Readonly<Record<string, readonly [FaultCode, string]>> = {
  ErrorInvalidIdMalformed: ['invalid_input', 'This is no id of the mail service; take ids from a find or list step.'],
  ErrorInvalidRecipients: [
    'invalid_input',
    'A recipient is missing or not a complete address; correct the recipients.',
  ],
  ErrorExceededMaxRecipientLimit: ['invalid_input', 'There are too many recipients; a message takes 500.'],
  InefficientFilter: [
    'upstream_rejected',
    'This filter and order are too much at once; filter by fewer things or leave the order out.',
  ],
  ErrorInvalidUrlQueryFilter: ['upstream_rejected', 'The service does not understand this filter; simplify it.'],
  SearchWithOrderBy: ['upstream_rejected', 'A search cannot be ordered; leave $orderby out.'],
  SearchWithFilter: ['upstream_rejected', 'A search cannot be filtered too; use $search or $filter.'],
  ExpandNotSupported: ['upstream_rejected', 'This cannot be expanded; ask for it on its own.'],
  TimeZoneNotSupportedException: [
    'invalid_input',
    'The service does not know this time zone; use a name such as "Europe/Berlin" or "W. Europe Standard Time".',
  ],
  ErrorPropertyValidationFailure: ['upstream_rejected', 'The service refuses one of the values; correct it.'],
  ErrorOccurrenceCrossingBoundary: [
    'upstream_rejected',
    'The new time would jump over the next or previous occurrence of the series; choose another time.',
  ],
  ErrorMimeContentInvalidBase64String: ['invalid_input', 'The text/plain body must be MIME in base64.'],
  ErrorSendAsDenied: [
    'upstream_rejected',
    'This account may not send in that name; leave "from" out or ask the owner for the right to send as them.',
  ],
  ErrorAccessDenied: [
    'upstream_rejected',
    'The account lacks a permission or a right on this mailbox; reconnect with the missing permission or ask the owner for access.',
  ],
  ErrorItemNotFound: ['not_found', 'It is not in this mailbox (deleted, or in another mailbox); look for it again.'],
  ErrorFolderNotFound: ['not_found', 'There is no such folder; look at list_folders.'],
  ErrorNonExistentMailbox: ['not_found', 'There is no such mailbox; check the address in "mailbox".'],
  ErrorInvalidUser: ['not_found', 'There is no such mailbox; check the address in "mailbox".'],
  // The service says now one and now the other of an account without a mailbox.
  ResourceNotFound: ['not_found', 'It does not exist, or this account has no cloud mailbox; look for it again.'],
  MailboxNotEnabledForRESTAPI: [
    'upstream_rejected',
    'This account has no cloud mailbox, so there is nothing to work with.',
  ],
  ErrorFolderExists: ['conflict', 'A folder of this name exists already; use it.'],
  ErrorIrresolvableConflict: ['conflict', 'It was changed by somebody else meanwhile; read it again, then decide.'],
  SyncStateNotFound: ['conflict', 'This position in the list of changes has expired; start from the beginning.'],
  ErrorQuotaExceeded: ['upstream_rejected', 'The mailbox is full; its owner must make room.'],
  ErrorMessageSizeExceeded: [
    'too_large',
    'The message is larger than the mailbox allows; send fewer or smaller attachments.',
  ],
};

const byStatus: Readonly<Record<number, readonly [FaultCode, string]>> = {
  403: [
    'upstream_rejected',
    'The account may not do this; reconnect with the missing permission or ask the owner of the mailbox.',
  ],
  404: ['not_found', 'It does not exist, or not in this mailbox; look for it again.'],
  405: ['upstream_rejected', 'The service does not offer this method here.'],
  409: ['conflict', 'It exists already or is in use; look at what is there.'],
  410: ['conflict', 'This position in the list of changes has expired; start from the beginning.'],
  412: ['conflict', 'It was changed by somebody else meanwhile; read it again, then decide.'],
  413: ['too_large', 'The request is larger than the service takes (4 MB).'],
  424: ['upstream_rejected', 'A request of the batch that this one depends on has failed.'],
};

const waitOf = ({ 'retry-after': retryAfter, date }: UpstreamAnswer['headers']): number =>
  waitAsked({ retryAfter, date }) ?? 10_000;

/** The service's refusal, in our words, with what to do next. */
export const readFault = ({ status, headers, body }: UpstreamAnswer): Fault => {
  const { code, reason } = read(body);
  const upstream = { status, ...(code === undefined ? {} : { code }) };
  const details = { upstream };
  const said = reason === 'no reason given' ? '' : ` It said: ${reason}`;
  if (status === 401) {
    const message = `The mail service no longer accepts this account; connect it again.${said}`;
    return new Fault('reconnect_needed', message, { details });
  }
  if (status === 429) {
    return new Fault('rate_limited', 'The mail service asks us to slow down; wait and try again.', {
      details,
      retryAfterMs: waitOf(headers),
    });
  }
  const known = code === undefined ? undefined : byCode[code];
  if (known !== undefined) return new Fault(known[0], `${known[1]}${said}`, { details });
  if (status >= 500) {
    const message = `The mail service is not well (status ${status}); try again later.`;
    const asked = headers['retry-after'] === undefined ? {} : { retryAfterMs: waitOf(headers) };
    return new Fault('upstream_unavailable', message, { details, ...asked });
  }
  const [fault, next] = byStatus[status] ?? ['upstream_rejected', 'The mail service refused.'];
  return new Fault(fault, `${next}${said}`, { details });
};
