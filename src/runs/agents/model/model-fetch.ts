import { Agent, type buildConnector, fetch, type RequestInit } from 'undici';
import { Fault, storableJson, waitAsked } from '#kit';
import { NotAllowed } from '#upstream';

const mostBytes = 4_000_000;
const mostWords = 500;

/** The provider's own words about what it refused, without the key it was sent. */
const reasonIn = (body: string, apiKey: string | undefined): string => {
  let reason = '';
  try {
    const { error } = JSON.parse(body) as { error?: { message?: unknown } | string };
    reason = typeof error === 'string' ? error : typeof error?.message === 'string' ? error.message : '';
  } catch {
    return '';
  }
  const plain = apiKey === undefined || apiKey === '' ? reason : reason.replaceAll(apiKey, '…');
  return plain === '' ? '' : ` It says: ${plain.slice(0, mostWords)}`;
};

const refusal = (status: number, body: string, retryAfterMs: number | undefined, apiKey: string | undefined): Fault => {
  const reason = reasonIn(body, apiKey);
  if (status === 401 || status === 403) {
    // Its words may show a part of the key.
    return new Fault(
      'forbidden',
      "The model provider refused the key; set another one in the settings, or as the operator's MODEL_API_KEY.",
    );
  }
  if (status === 429) {
    return new Fault('rate_limited', `The model provider asks for patience.${reason}`, {
      retryAfterMs,
    });
  }
  if (status >= 500 || status === 408) {
    return new Fault('upstream_unavailable', `The model provider has trouble (${status}).${reason}`, {
      retryAfterMs,
    });
  }
  return new Fault('upstream_rejected', `The model provider refused the request (${status}).${reason}`);
};

const readWhole = async (body: AsyncIterable<Uint8Array> | null): Promise<string> => {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > mostBytes) throw new Fault('upstream_rejected', 'The model provider answered with far too much.');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
};

/** Calls model providers: only addresses that the connector lets through, no redirects, answers of a bounded size. */
export const createModelFetch = ({ connect }: { connect: buildConnector.connector }) => {
  const dispatcher = new Agent({ connect, allowH2: false, headersTimeout: 0, bodyTimeout: 0 });
  return {
    close: () => dispatcher.destroy(),

    /** Throws a Fault for every answer but a good one. */
    call: async (url: string, init: RequestInit, apiKey: string | undefined): Promise<Response> => {
      const answer = await fetch(url, { ...init, redirect: 'manual', dispatcher }).catch((error: unknown) => {
        if (error instanceof Error && error.cause instanceof NotAllowed) {
          throw new Fault(
            'forbidden',
            'The address of the model provider is one of an inner network, which is not called.',
          );
        }
        throw error;
      });
      const body = await readWhole(answer.body);
      if (!answer.ok) {
        const asked = { retryAfter: answer.headers.get('retry-after'), date: answer.headers.get('date') };
        throw refusal(answer.status, body, waitAsked(asked) || undefined, apiKey);
      }
      return new Response(storableJson(body), {
        status: answer.status,
        headers: { 'content-type': 'application/json' },
      });
    },
  };
};

export type ModelFetch = ReturnType<typeof createModelFetch>;
