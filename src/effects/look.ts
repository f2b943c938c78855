import type { Clock } from '#clock';
import { Fault, type Upstream, type UpstreamAnswer, type UpstreamRequest } from '#kit';
import { storageFault } from '#store';
import type { Calling } from './calling.ts';
import type { Guarded } from './guarded.ts';
import { staysOpen } from './outcome.ts';
import type { EffectRecords, Intent } from './record.ts';

// The services' clocks and ours may differ; what a look finds from before is told apart by other effects' claims.
const clockSkewMs = 120_000;

type Means = { records: EffectRecords; clock: Clock; withinMs: number; signal: AbortSignal | undefined };

/** What is told to end has waited for nothing. Left as intended: whoever continues the run will look. */
const requireGoingOn = (signal: AbortSignal | undefined): void => {
  if (signal?.aborted) throw new Fault('unavailable', 'This process is ending; the run goes on elsewhere.');
};

/** Looks for what an uncertain write made, and claims it. `undefined`: it is not there, or this step cannot look. */
export const lookFor = async (
  { records, clock, withinMs, signal }: Means,
  work: Guarded,
  upstream: Upstream,
  request: UpstreamRequest,
  { id, intendedAt }: Pick<Intent, 'id' | 'intendedAt'>,
): Promise<UpstreamAnswer | undefined> => {
  const { step, input, context } = work;
  if (step.find === undefined) return undefined;
  while (!signal?.aborted && (await records.hasTwin(work, id, withinMs))) await clock.sleep(250, signal);
  requireGoingOn(signal);
  const since = new Date(intendedAt.getTime() - clockSkewMs);
  const verdict = await step.find(input, { ...context, upstream, since, request, held: work.before?.() });
  if (verdict === 'unclear') throw new Fault('upstream_unavailable', 'The service cannot tell yet what happened.');
  const about = step.integration.upstream.idIn?.(request.path);
  const named = verdict.made.flatMap((body) => {
    const upstreamId = step.integration.upstream.idOf(body);
    return upstreamId === undefined ? [] : [{ upstreamId, body }];
  });
  const taken = await records.taken(
    work,
    named.map(({ upstreamId }) => upstreamId),
  );
  for (const { upstreamId, body: brief } of named.filter((each) => !taken.has(each.upstreamId))) {
    const body = verdict.whole === undefined ? brief : await verdict.whole(upstreamId);
    const answer = { status: 200, headers: {}, body };
    if (!(await records.claim(work, id, { upstreamId, about, answer }))) continue;
    return answer;
  }
  return undefined;
};

// A write that just ended uncertainly may still be under way at the service.
const looksAfterMs = [500, 2_000];

/** Nobody has to stay in doubt for it: the run waits as long as the service asks, or until it answers, and then looks. */
const comeAgain = (cause: Fault) => {
  const { code, retryAfterMs } = cause;
  return new Fault(
    'unavailable',
    code === 'rate_limited'
      ? 'The service asks us to wait before we can look whether this happened.'
      : 'It cannot be found out now whether this happened; it is looked for again.',
    { retryAfterMs, cause },
  );
};

/** Why a look is made again later, if it is. */
const passing = (error: unknown, work: Guarded): Fault | undefined => {
  const fault = error instanceof Fault ? error : storageFault(error);
  return fault !== undefined && (fault.code === 'rate_limited' || staysOpen(fault, work)) ? fault : undefined;
};

/** Looks now and again until it is found or its time is over. `undefined`: it is not there; `unclear`: nobody can tell. */
export const lookUntil = async (
  { clock, signal, work, overMs }: { overMs: number } & Pick<Calling, 'clock' | 'signal' | 'work'>,
  look: () => Promise<UpstreamAnswer | undefined>,
): Promise<UpstreamAnswer | undefined | 'unclear'> => {
  let found: UpstreamAnswer | undefined | 'unclear' | Fault = 'unclear';
  for (const wait of [...looksAfterMs.filter((each) => each < overMs), overMs]) {
    await clock.sleep(wait, signal);
    requireGoingOn(signal);
    found = await look().catch((error: unknown) => passing(error, work) ?? 'unclear');
    if (found !== undefined && found !== 'unclear' && !(found instanceof Fault)) break;
  }
  if (found instanceof Fault) throw comeAgain(found);
  return found;
};
