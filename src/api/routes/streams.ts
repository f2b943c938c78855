import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { Live } from '#notices';
import type { Runs } from '#runs';
import { access } from '../access.ts';
import { callerOf } from '../caller-of.ts';
import { ById } from '../contract.ts';
import type { Env } from '../env.ts';
import type { Sender } from '../event-stream.ts';
import { refuseInvalid } from '../failures.ts';
import { operation } from '../operation.ts';
import { Hint } from '../run-contract.ts';
import type { Streams } from '../streams.ts';
import type { TellRun, ToldRun } from '../tell-run.ts';

const events = (description: string, schema: z.ZodType) => ({
  200: { description, content: { 'text/event-stream': { schema } } },
});

/** Sends what is new of a run: whole when its state changes, else only the entries that its journal has gained. */
const follow = (read: () => Promise<ToldRun>, first: ToldRun, out: Sender) => {
  let shown = first;
  let busy: Promise<void> = Promise.resolve();
  const show = (run: ToldRun) => {
    const last = shown.journal.at(-1)?.seq ?? 0;
    const gained = run.journal.filter(({ seq }) => seq > last);
    const changed =
      run.status !== shown.status ||
      run.cancelling !== shown.cancelling ||
      run.waiting?.nextTryAt.getTime() !== shown.waiting?.nextTryAt.getTime();
    shown = run;
    if (changed) out.send(run, 'run');
    else if (gained.length > 0) out.send(gained, 'journal');
    if (run.finishedAt === null) return;
    out.send({}, 'end');
    out.end();
  };
  out.send(first, 'run');
  return () => {
    // One after the other, so that nothing older is shown last.
    busy = busy.then(async () => show(await read())).catch(out.end);
  };
};

export const streamRoutes = ({
  runs,
  live,
  streams,
  tellRun,
}: {
  runs: Runs;
  live: Live;
  streams: Streams;
  tellRun: TellRun;
}) =>
  new OpenAPIHono<Env>({ defaultHook: refuseInvalid })
    .openapi(
      operation('GET /v1/stream', {
        tag: 'Live',
        summary: 'What changes in this workspace, as it happens',
        description:
          'Server-Sent Events. Each message is a hint: read again what it names. The first one, `sync`, is sent whenever a connection begins: read everything again.',
        responses: events('Hints, one for each message.', Hint),
      }),
      (c) => {
        const { workspaceId } = callerOf(c);
        return streams(c, access['GET /v1/stream'], (out) => {
          let synced = false;
          return live.workspace(workspaceId, (hints) => {
            if (!synced) out.send({ type: 'sync' });
            else for (const hint of hints) out.send(hint);
            synced = true;
          });
        });
      },
    )
    .openapi(
      operation('GET /v1/runs/{id}/stream', {
        tag: 'Live',
        summary: 'One run, as it goes on',
        description:
          'Server-Sent Events: `run` is the whole run, at once and whenever its state changes; `journal` is a list of entries it has gained; `end` comes last, after the run has ended.',
        request: { params: ById },
        responses: events('`run`, `journal` and `end`.', z.unknown()),
      }),
      async (c) => {
        const { workspaceId } = callerOf(c);
        const { id } = c.req.valid('param');
        const read = async () => tellRun(workspaceId, await runs.get(workspaceId, id));
        const run = await read();
        return streams(c, access['GET /v1/runs/{id}/stream'], (out) => live.run(id, follow(read, run, out)));
      },
    );
