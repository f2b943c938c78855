import { z } from 'zod';
import { Fault, type FaultCode, type UpstreamAnswer, waitAsked } from '#kit';

const Json = z.object({ message: z.string().optional(), error: z.string().optional() });
const longest = 300;

type Reason = { reason: string; code: string | undefined };

/** The service answers some refusals as a plain sentence and some as JSON. */
const readReason = (body: unknown): Reason => {
  const json = Json.safeParse(body);
  if (json.success) {
    const reason = json.data.message ?? json.data.error ?? 'no reason given';
    return { reason: reason.slice(0, longest), code: json.data.error };
  }
  const text = typeof body === 'string' ? body.trim() : '';
  // A gateway's page is no reason.
  return { reason: text === '' || text.startsWith('<') ? 'no reason given' : text.slice(0, longest), code: undefined };
};

type Rule = {
  status: number;
  /** Found in the sentence or in the error symbol. The wording has changed over the years: only what stayed is used. */
  says?: RegExp;
  code: FaultCode;
  /** What to do next. */
  next: string;
  /** How long to wait if the service does not say. */
  waitMs?: number;
};

const window = 10_000;

/** From a refusal to what it means for the caller; the first that fits. */
const rules: readonly Rule[] = [
  {
    status: 401,
    says: /^(invalid|expired|revoked) (app )?(token|key)/i,
    code: 'reconnect_needed',
    next: 'The service no longer accepts this account; connect it again.',
  },
  {
    status: 401,
    says: /^missing scopes/i,
    code: 'upstream_rejected',
    next: 'The account was granted too little for this; connect it again with more permissions.',
  },
  {
    status: 401,
    says: /^webhook does not belong/i,
    code: 'upstream_rejected',
    next: 'The webhook was made by another account; use that one.',
  },
  {
    status: 401,
    code: 'upstream_rejected',
    next: 'This account may not see or change it: check the id, use an account that is a member of the board, or connect again with more permissions.',
  },
  {
    status: 400,
    says: /^invalid id$/i,
    code: 'invalid_input',
    next: 'The id in the address is malformed; use the 24 digits, or a short link for boards and cards.',
  },
  {
    status: 400,
    says: /invalid objectid|invalid value for id[A-Z]/i,
    code: 'invalid_input',
    next: 'An id is malformed or of the wrong kind; look it up again. Short links do not work here.',
  },
  {
    status: 400,
    says: /invalid position|invalid value for pos/i,
    code: 'upstream_rejected',
    next: 'Use top, bottom or a positive number as the position.',
  },
  {
    status: 400,
    says: /(label|member) not found/i,
    code: 'not_found',
    next: 'It does not belong to this board, or was given twice; List Labels and List Members tell what there is.',
  },
  {
    status: 400,
    says: /\balready\b/i,
    code: 'upstream_rejected',
    next: 'It is so already; nothing needs to be done.',
  },
  {
    status: 400,
    says: /\bnot on the card\b/i,
    code: 'upstream_rejected',
    next: 'It is so already; nothing needs to be done.',
  },
  {
    status: 400,
    says: /did not return 200 status code/i,
    code: 'upstream_rejected',
    next: 'The service must be able to reach the callback address and get status 200 from it.',
  },
  { status: 400, code: 'upstream_rejected', next: 'Correct the named value and try again.' },
  {
    status: 403,
    says: /scope|unauthorized/i,
    code: 'upstream_rejected',
    next: 'The account was not granted this, or not for this workspace; connect it again with more permissions.',
  },
  {
    status: 403,
    code: 'upstream_rejected',
    next: 'A limit of the board is reached, or its plan does not include this; make room or choose another place.',
  },
  {
    status: 404,
    says: /^cannot (get|head|post|put|patch|delete) /i,
    code: 'upstream_rejected',
    next: 'There is no such endpoint; check the method and the path.',
  },
  {
    status: 404,
    says: /could not find the board/i,
    code: 'not_found',
    next: 'There is no such list; Get Lists tells those there are.',
  },
  {
    status: 404,
    says: /board.?not.?found/i,
    code: 'not_found',
    next: 'There is no such board; Get Boards tells those there are.',
  },
  {
    status: 404,
    code: 'not_found',
    next: 'It does not exist, was deleted, or this account cannot see it; look it up again.',
  },
  { status: 409, code: 'conflict', next: 'Something changed at the same time; read it again, then decide.' },
  { status: 413, code: 'too_large', next: 'Send less, or attach a link instead of the file.' },
  {
    status: 429,
    says: /TOO_MANY_CARDS/,
    code: 'rate_limited',
    next: 'Too many cards with their history were asked for at once; ask for fewer, or without actions.',
    waitMs: window,
  },
  {
    status: 429,
    says: /DB_LIMIT/,
    code: 'rate_limited',
    next: 'The requests were too costly for the service; wait, and ask for fewer fields.',
    waitMs: 60_000,
  },
  {
    status: 429,
    says: /\/1\/member|RATE_LIMIT_EXCEEDED/,
    code: 'rate_limited',
    next: 'Members, their boards and searches may be asked 100 times in 15 minutes; use ids instead of names, and wait.',
    waitMs: 60_000,
  },
  { status: 429, code: 'rate_limited', next: 'Wait, then try again.', waitMs: window },
  {
    status: 449,
    code: 'upstream_unavailable',
    next: 'A part of the request failed; try again, or ask for its parts one by one.',
  },
];

const waitOf = ({ 'retry-after': retryAfter, date }: UpstreamAnswer['headers'], otherwise: number): number =>
  waitAsked({ retryAfter, date }) || otherwise;

/** The service's refusal as a Fault that says what to do next. */
export const readFault = ({ status, headers, body }: UpstreamAnswer): Fault => {
  const { reason, code } = readReason(body);
  const details = { upstream: { status, ...(code === undefined ? {} : { code }) } };
  if (status >= 500) {
    const next = status === 504 ? 'It took too long; ask for less, or try again later.' : 'Try again later.';
    const asked = headers['retry-after'] === undefined ? {} : { retryAfterMs: waitOf(headers, window) };
    const message = `The board service is not well (status ${status}). ${next}`;
    return new Fault('upstream_unavailable', message, { details, ...asked });
  }
  const rule = rules.find(
    (each) =>
      each.status === status && (each.says === undefined || each.says.test(reason) || each.says.test(code ?? '')),
  );
  const next = rule?.next ?? 'Correct the request and try again.';
  const waits = rule?.waitMs === undefined ? {} : { retryAfterMs: waitOf(headers, rule.waitMs) };
  const message = `The board service refused: ${reason.replace(/[.\s]+$/, '')}. ${next}`;
  return new Fault(rule?.code ?? 'upstream_rejected', message, { details, ...waits });
};

const Details = z.object({ upstream: z.object({ status: z.number() }) });

/** The status that the service refused with. */
export const statusOf = ({ details }: Fault): number | undefined => Details.safeParse(details).data?.upstream.status;

// What this account may no longer see is as good as gone.
const goneAt = new Set([401, 403, 404]);

/** What a read found, or `undefined` if what was to be read is gone. */
export const unlessGone = async <Result>(reading: Promise<Result>): Promise<Result | undefined> => {
  try {
    return await reading;
  } catch (error) {
    const gone = error instanceof Fault && error.code !== 'reconnect_needed' && goneAt.has(statusOf(error) ?? 0);
    if (gone) return undefined;
    throw error;
  }
};
