import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '#clock';
import { Fault, isDeeper } from '#kit';
import type { Log } from '#log';
import type { Runs } from '#runs';
import type { Caller } from '#workspaces';
import { maxBytes, maxDepth, refusePrototypeKey, refuseText, tooDeep, toText } from './body-limits.ts';
import { answerTo, refuse, toFault } from './failures.ts';
import { bearer, type KeyHolder } from './identify.ts';
import { letIn } from './operation.ts';
import { fixedHeaders, type QuickDoor, readWhole } from './quick-parts.ts';
import { newRequestId } from './request-id.ts';
import { StepRun } from './run-contract.ts';
import { runStep } from './run-step.ts';
import { about, type Telemetry } from './telemetry.ts';

const name = 'POST /v1/steps/{id}/run';
const route = '/v1/steps/:id/run';
const place = /^\/v1\/steps\/([\w.-]{1,100})\/run$/;
const json = /^application\/json(?:;|$)/i;

type Recognised = { stepId: string; key: string };

/** A key that runs a step, with a body of a known and ordinary length. */
const recognise = ({ method, url = '', headers }: IncomingMessage): Recognised | undefined => {
  if (method !== 'POST' || !json.test(headers['content-type'] ?? '')) return undefined;
  const stepId = place.exec(url)?.[1];
  const key = bearer.exec(headers.authorization ?? '')?.[1];
  const length = Number(headers['content-length']);
  return stepId === undefined || key === undefined || !(length > 0 && length <= maxBytes) ? undefined : { stepId, key };
};

const parse = (bytes: Buffer) => {
  const text = toText(bytes);
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw refuseText(text);
  }
  if (isDeeper(given, maxDepth)) throw tooDeep();
  refusePrototypeKey(text);
  const parsed = StepRun.safeParse(given);
  if (!parsed.success) throw refuse(parsed.error.issues);
  return parsed.data;
};

/**
 * Running a step by key is what this house does most, so this door is opened without the framework: the same checks in the
 * same order, the same answers, without requests, headers and responses being made in between. Whatever is not plainly
 * that goes the usual way.
 */
export const createQuickDoor = (options: {
  runs: Runs;
  holderOf: KeyHolder;
  telemetry: Telemetry;
  storageFault: (error: unknown) => Fault | undefined;
  publicUrl: URL;
  clock: Clock;
  log: Log;
}): QuickDoor => {
  const { runs, holderOf, telemetry, storageFault, publicUrl, clock, log } = options;
  let fixed: string[] | undefined;
  void fixedHeaders(publicUrl).then((headers) => {
    fixed = [...headers, 'cache-control', 'no-store', 'content-type', 'application/json'];
  });

  const serve = async ({ stepId, key }: Recognised, incoming: IncomingMessage, outgoing: ServerResponse) => {
    const requestId = newRequestId(clock.now());
    await telemetry.record('POST', async () => {
      let caller: Caller | undefined;
      let answer: { status: number; headers?: Record<string, string>; body: unknown };
      try {
        caller = await holderOf(key);
        letIn(name, caller);
        const body = parse(await readWhole(incoming));
        const idempotencyKey = incoming.headers['idempotency-key'];
        const given = { stepId, body, key: typeof idempotencyKey === 'string' ? idempotencyKey : undefined };
        answer = await runStep(runs, caller, given);
      } catch (error) {
        incoming.resume();
        answer = answerTo(toFault(error, storageFault), { log, asked: about(requestId, caller), tried: true });
      }
      // As text it leaves together with the head.
      const text = JSON.stringify(answer.body);
      const bytes = Buffer.byteLength(text);
      outgoing.writeHead(answer.status, [
        ...(fixed ?? []),
        ...Object.entries(answer.headers ?? {}).flat(),
        'x-request-id',
        requestId,
        'content-length',
        String(bytes),
      ]);
      // Plain characters need no encoding.
      outgoing.end(text, bytes === text.length ? 'latin1' : 'utf8');
      return { route, status: answer.status, asked: about(requestId, caller) };
    });
  };

  return (incoming, outgoing) => {
    const recognised = fixed === undefined ? undefined : recognise(incoming);
    if (recognised === undefined) return false;
    void serve(recognised, incoming, outgoing);
    return true;
  };
};
