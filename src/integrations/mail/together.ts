import { z } from 'zod';
import { type Path, path, type Upstream, type UpstreamAnswer } from '#kit';
import { isBatch } from './effects.ts';
import { readFault } from './faults.ts';

/** A GET; its parameters are encoded already. */
export type Read = { path: Path; search: string; headers?: { prefer: string } };

const Batch = z.object({
  responses: z.array(
    z.object({
      id: z.string(),
      status: z.number(),
      headers: z.record(z.string(), z.string()).optional(),
      body: z.unknown().optional(),
    }),
  ),
});

export const encode = (query: Readonly<Record<string, string>>): string =>
  Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

const decode = (search: string): Record<string, string> =>
  Object.fromEntries(
    search.split('&').map((pair) => {
      const at = pair.indexOf('=');
      return [decodeURIComponent(pair.slice(0, at)), decodeURIComponent(pair.slice(at + 1))];
    }),
  );

const asAnswer = ({ status, headers = {}, body }: z.output<typeof Batch>['responses'][number]): UpstreamAnswer => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  body,
});

/** Parts of a batch are throttled one by one, each with its own time to wait. */
export const pauseIn = ({ path: asked }: { path: string }, { body }: UpstreamAnswer): number | undefined => {
  // Looked at first, because it costs nothing.
  if (typeof body !== 'object' || body === null || !('responses' in body) || !isBatch(asked)) return undefined;
  const refused = Batch.safeParse(body).data?.responses.filter(({ status }) => status >= 400) ?? [];
  const waits = refused.flatMap((part) => readFault(asAnswer(part)).retryAfterMs ?? []);
  return waits.length === 0 ? undefined : Math.max(...waits);
};

const Asked = z.object({ requests: z.array(z.record(z.string(), z.unknown())) });
const unanswered: UpstreamAnswer = { status: 504, headers: {}, body: undefined };

const isRead = (part: Record<string, unknown>): boolean =>
  Object.entries(part).some(([name, value]) => /^method$/i.test(name) && /^(?:get|head)$/i.test(String(value)));
const idOf = (part: Record<string, unknown>): string => String(part['id']).toLowerCase();

/** What each write of a batch was answered: the batch itself is 200, whatever became of them. */
export const writesIn = (
  { path: asked, body }: { path: string; body?: unknown },
  answer: UpstreamAnswer,
): UpstreamAnswer[] | undefined => {
  const { data } = isBatch(asked) ? Asked.safeParse(body) : {};
  if (data === undefined) return undefined;
  const reads = new Set(data.requests.filter(isRead).map(idOf));
  const responses = Batch.safeParse(answer.body).data?.responses ?? [];
  const told = responses.filter((part) => !reads.has(idOf(part))).map(asAnswer);
  // One that is not told of may have been done.
  return told.length < data.requests.length - reads.size ? [...told, unanswered] : told;
};

const isBusy = ({ status }: UpstreamAnswer): boolean => status === 429 || status >= 500;

export const readAlone = async (
  upstream: Upstream,
  { path: target, search, headers }: Read,
): Promise<UpstreamAnswer> => {
  const answer = await upstream.request({ method: 'GET', path: target, query: decode(search), headers });
  if (isBusy(answer)) throw readFault(answer);
  return answer;
};

/**
 * What each of up to twenty reads is answered, asked for together. Parts of a batch are throttled one by one, and a part
 * that the service had no room for says nothing: it is asked for again, alone and at the usual pace.
 */
export const readTogether = async (
  upstream: Upstream,
  reads: ReadonlyMap<string, Read>,
): Promise<Map<string, UpstreamAnswer>> => {
  const names = [...reads.keys()];
  const together = new Map<string, UpstreamAnswer>();
  if (reads.size > 1) {
    const requests = [...reads.values()].map(({ path: target, search, headers }, index) => ({
      id: String(index),
      method: 'GET',
      url: `${target}?${search}`,
      ...(headers === undefined ? {} : { headers: { Prefer: headers.prefer } }),
    }));
    const { responses } = Batch.parse(await upstream.post(path`/$batch`, { body: { requests } }));
    for (const each of responses) together.set(names[Number(each.id)] ?? '', asAnswer(each));
  }
  const answers = new Map<string, UpstreamAnswer>();
  for (const [name, read] of reads) {
    const part = together.get(name);
    answers.set(name, part === undefined || isBusy(part) ? await readAlone(upstream, read) : part);
  }
  return answers;
};
