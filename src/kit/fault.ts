import { fieldsThere } from './messages.ts';
import { placeAt, placeOf } from './place.ts';

/** Every failure the house knows: the HTTP status it is answered with. What the caller can do next is in the message. */
export const faultStatus = {
  invalid_input: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  reconnect_needed: 409,
  approval_denied: 409,
  too_large: 413,
  upstream_rejected: 422,
  rate_limited: 429,
  internal: 500,
  upstream_unavailable: 502,
  unavailable: 503,
  outcome_unknown: 504,
} as const;

export type FaultCode = keyof typeof faultStatus;

/** A field that is wrong, by its place in the request (`steps[0].input.to`), and what is wrong with it. */
export type WrongField = { field: string; message: string };

/** What a failure says beside its message. Fields that are wrong are told in one way, whoever refuses them. */
export type FaultDetails = { fields?: readonly WrongField[]; field?: never; [more: string]: unknown };

/** A failure with a code from one table. The message tells a person or a model what to do next and never holds a secret. */
export class Fault extends Error {
  readonly code: FaultCode;
  readonly details: FaultDetails | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    code: FaultCode,
    message: string,
    options: { details?: FaultDetails; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'Fault';
    this.code = code;
    this.details = options.details;
    this.retryAfterMs = options.retryAfterMs;
  }

  get status(): (typeof faultStatus)[FaultCode] {
    return faultStatus[this.code];
  }
}

type Issue = { path: readonly PropertyKey[]; message: string; code?: string | undefined; keys?: readonly string[] };

/** Nobody mends more at once, and a refusal stays shorter than what it refuses. */
const mostFields = 50;

const isSame = (one: Issue['path'], other: Issue['path']): boolean =>
  one.length === other.length && one.every((key, at) => key === other[at]);

// How long a list is says nothing where a text was asked for.
const isBeside = (issue: Issue, mistyped: readonly Issue[]): boolean =>
  issue.code !== 'invalid_type' && mistyped.some(({ path }) => isSame(path, issue.path));

/** What a schema refused, field by field; `place` is where in the request it stands. A field that is not known is named. */
export const wrongFields = (issues: readonly Issue[], place = ''): WrongField[] => {
  const first = issues.slice(0, mostFields);
  const mistyped = first.filter(({ code }) => code === 'invalid_type');
  return first
    .filter((issue) => !isBeside(issue, mistyped))
    .flatMap(({ path, message, code, keys }) => {
      const at = placeOf(path, place);
      return code === 'unrecognized_keys' && keys !== undefined
        ? keys.slice(0, mostFields).map((key) => ({ field: placeAt(at, key), message }))
        : [{ field: at, message }];
    })
    .slice(0, mostFields);
};

/** Several mistakes one after the other, as one sentence: of messages that are sentences themselves only the last ends. */
export const inOneLine = (fields: readonly WrongField[]): string =>
  fields
    .map(({ field, message }) => (field === '' ? message : `${field}: ${message}`))
    .map((text, at) => (at < fields.length - 1 ? text.replace(/\.$/, '') : text))
    .join('; ');

/** Whoever gave a field another name finds the right one here. */
export const otherNames = (issues: readonly Issue[], shape?: Readonly<Record<string, unknown>>): string => {
  const misnamed = issues.find(({ code }) => code === 'unrecognized_keys');
  if (misnamed === undefined) return '';
  const { path, keys } = misnamed;
  const names = path.length === 0 && shape !== undefined ? Object.keys(shape) : fieldsThere(keys);
  if (names.length === 0) return '';
  return `. The fields${path.length === 0 ? '' : ` of ${placeOf(path)}`} are ${names.join(', ')}.`;
};

/** A refusal of one field, or of several of which one must be given or changed. */
export const wrong = (fields: string | readonly string[], message: string, more: FaultDetails = {}): Fault =>
  new Fault('invalid_input', message, {
    details: { fields: [fields].flat().map((field) => ({ field, message })), ...more },
  });

// Nothing happened, and the same may go well later.
const passing = new Set<FaultCode>(['rate_limited', 'upstream_unavailable', 'unavailable']);

// Something may have happened, has happened, or goes on by itself in a run.
const isNothing = ({ inDoubt, done, runId }: FaultDetails = {}): boolean =>
  !inDoubt && done === undefined && runId === undefined;

/** The details as they are told: with whether the same request may be sent again as it is. */
export const detailsOf = ({ code, details }: Fault): FaultDetails | undefined =>
  passing.has(code) && isNothing(details) ? { ...details, retryable: true } : details;

const mostCandidates = 20;

/**
 * What a failure offers instead of something that was not found or is one of several. Accounts are left out: who may use
 * them is not for the one to choose who was refused.
 */
export const candidatesIn = ({ details }: Fault): readonly unknown[] => {
  const { fields, candidates } = details ?? {};
  if (!Array.isArray(candidates) || fields?.some(({ field }) => field === 'accountId')) return [];
  return candidates.slice(0, mostCandidates);
};
