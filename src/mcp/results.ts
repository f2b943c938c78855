import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import {
  candidatesIn,
  detailsOf,
  type Fault,
  type FaultCode,
  inOneLine,
  type SendView,
  visibleText,
  visibleValue,
} from '#kit';
import { type AccountCandidate, faultAgain } from '#runs';
import { getRunName } from './names.ts';

/** What a model can do about each failure. */
const nextAction: Record<FaultCode, string> = {
  invalid_input: 'Correct the named arguments and call again.',
  too_large: 'Send or ask for less and call again.',
  unauthenticated: 'Ask the user for another API key.',
  forbidden: 'Do not repeat this; tell the user what is not allowed.',
  not_found: 'Look up the id and call again.',
  method_not_allowed: 'Use another tool.',
  conflict: 'Look at the present state, then decide.',
  reconnect_needed: 'Ask the user to connect the account again, then call again.',
  approval_denied: 'A person said no. Respect it; do not try another way.',
  upstream_rejected: 'Read the reason of the service, correct the call, or tell the user.',
  rate_limited: 'Wait retryAfterMs, then call again.',
  internal: 'Tell the user and quote the reference.',
  upstream_unavailable: 'Try again later.',
  unavailable: 'Try again later.',
  outcome_unknown: 'It may have happened. Look before doing it again.',
};

const shown = (structuredContent: Record<string, unknown>, text: string): CallToolResult => ({
  structuredContent,
  content: [{ type: 'text', text }],
});

export const answer = (structured: Record<string, unknown>): CallToolResult =>
  shown(structured, JSON.stringify(structured));

type Field = { field: string; message: string };

const isField = (value: unknown): value is Field =>
  typeof value === 'object' && value !== null && 'field' in value && typeof value.field === 'string';

/** Arguments as the caller named them. */
const fieldsOf = (details: Record<string, unknown>): Field[] => {
  const { fields } = details;
  if (!Array.isArray(fields)) return [];
  return fields.filter(isField).map(({ field, message }) => ({ field: field.replace(/^input\.?/, ''), message }));
};

/** What is wrong with several arguments alike is said once. */
const mistakesIn = (fields: readonly Field[]): string =>
  inOneLine(
    [...Map.groupBy(fields, ({ message }) => message)].map(([message, alike]) => ({
      field: alike
        .map(({ field }) => field)
        .filter(Boolean)
        .join(', '),
      message,
    })),
  );

const doNotRepeat =
  'Do not call this again: what is done (details.done) would be done once more. Do the rest with other tools, or tell the user.';

const ownAction = ({ code, details = {} }: Fault, fields: readonly Field[]): string => {
  if (code === 'invalid_input' && fields.length === 0) return 'Do what the message says, then call again.';
  if (code === 'forbidden' && 'connect' in details) {
    return 'Tell the user which account must be granted what (missingScopes); call again once it is.';
  }
  return nextAction[code] ?? nextAction.internal;
};

const withAccount = (fields: readonly Field[], accounts: readonly AccountCandidate[]): string =>
  fields.every(({ field }) => accounts.some(({ argument }) => argument === field))
    ? 'Call again with the id of one of the candidates.'
    : 'Correct the named arguments, name one of the candidates by its id, and call again.';

/** After these nobody is told to call again anyway. */
const lasting = new Set<FaultCode>(['approval_denied', 'forbidden', 'outcome_unknown', 'internal']);

const Written = z.object({ method: z.string(), path: z.string() });

/** What was written before it failed: the steps of a tool by their keys, the writes of a step by what was asked. */
const doneIn = ({ done }: Record<string, unknown>): string[] =>
  (Array.isArray(done) ? done : []).flatMap((each: unknown) => {
    if (typeof each === 'string') return [each];
    const { data } = Written.safeParse(each);
    return data === undefined ? [] : [`${data.method} ${data.path}`];
  });

/** What only this call knows: which arguments there are besides those that were given, and what is to be done. */
type Known = { others?: string | undefined; next?: string | undefined };

const told = (fault: Fault, accounts: readonly AccountCandidate[], { others, next: known }: Known = {}): unknown => {
  const { code, retryAfterMs } = fault;
  const { fields: _, candidates: __, ...details } = detailsOf(fault) ?? {};
  const fields = fieldsOf(fault.details ?? {});
  const done = doneIn(details);
  const mistakes = fields.length === 0 ? fault.message : `The arguments do not fit. ${mistakesIn(fields)}`;
  // Where no field is named, the message says itself what is done.
  const before = fields.length === 0 || done.length === 0 ? undefined : `Done before that: ${done.join(', ')}.`;
  const added = [before, others].filter((each) => each !== undefined);
  const message = added.length === 0 ? mistakes : `${mistakes.replace(/\.$/, '')}. ${added.join(' ')}`;
  const action = accounts.length === 0 ? (known ?? ownAction(fault, fields)) : withAccount(fields, accounts);
  const next = done.length === 0 || lasting.has(code) ? action : doNotRepeat;
  const candidates = accounts.length === 0 ? candidatesIn(fault) : accounts;
  return visibleValue({
    code,
    message,
    next,
    ...(fields.length === 0 ? {} : { fields }),
    ...(candidates.length === 0 ? {} : { candidates }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(Object.keys(details).length === 0 ? {} : { details }),
  }).value;
};

/** How a run failed, as it is told afterwards: as much as the first time. */
export const failureOf = (kept: Parameters<typeof faultAgain>[0]): unknown => told(faultAgain(kept, {}), []);

/** A failure as a result: something the model reads and acts on. `accounts` could have been named instead. */
export const refusal = (fault: Fault, accounts: readonly AccountCandidate[], known?: Known): CallToolResult => {
  const error = told(fault, accounts, known);
  return { ...shown({ error }, JSON.stringify({ error })), isError: true };
};

const mostCharacters = 60_000;

/** Where a part that begins there ends: not within a character, whose halves many clients cannot join again. */
const endAfter = (text: string, offset: number): number => {
  const end = offset + mostCharacters;
  return end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1] ?? '') ? end - 1 : end;
};

/**
 * An output that a model can take in, without what people would not see; of a longer one a part, and where to go on.
 */
export const fitting = (output: unknown, runId: string, offset = 0): Record<string, unknown> => {
  const { value, removed } = visibleValue(output ?? null);
  const text = JSON.stringify(value);
  const hidden = removed === 0 ? {} : { hiddenCharactersRemoved: removed };
  if (offset === 0 && text.length <= mostCharacters) return { output: value, ...hidden };
  const end = endAfter(text, offset);
  return {
    ...hidden,
    outputText: text.slice(offset, end),
    totalCharacters: text.length,
    ...(end < text.length ? { goOnWith: { tool: getRunName, arguments: { runId, offset: end } } } : {}),
  };
};

const mostOfBody = 20_000;

/** What a person would be shown of a send, without the source of its body and without what nobody would see. */
export const seen = ({ body, parts, ...view }: SendView): unknown => ({
  ...(visibleValue(view).value as object),
  ...(body === undefined ? {} : { body: visibleText(body.text).text.slice(0, mostOfBody).toWellFormed() }),
  ...(parts === undefined ? {} : { parts: parts.map(seen) }),
});

/** What is told of a run that waits for a person. Deciding is not for the caller. */
export const waiting = (publicUrl: URL, runId: string, approvalId: string | undefined): Record<string, unknown> => ({
  status: 'waiting_approval',
  runId,
  approval: {
    ...(approvalId === undefined ? {} : { id: approvalId }),
    url: new URL(approvalId === undefined ? '/approvals' : `/approvals/${approvalId}`, publicUrl).href,
  },
  next: `Nothing was sent. A person decides at this address: tell the user. Ask ${getRunName} for the outcome; do not call again.`,
});
