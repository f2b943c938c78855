import type { Context } from 'hono';
import type { Clock, Intervals } from '#clock';
import { Fault } from '#kit';
import type { Live } from '#notices';
import { type Caller, type Door, opens } from '#workspaces';
import { callerOf } from './caller-of.ts';
import type { Env } from './env.ts';
import { eventStream, type Sender } from './event-stream.ts';
import type { Recall } from './identify.ts';

/** Opens streams for callers, a bounded number for each. */
export type Streams = (c: Context<Env>, door: Door, begin: (out: Sender) => () => void) => Response;

const most = { member: 20, key: 100, run: 1 };

export const createStreams = (options: {
  live: Live;
  recall: Recall;
  clock: Clock;
  intervals: Pick<Intervals, 'liveBeatMs'>;
}): Streams => {
  const { live, recall, clock, intervals } = options;
  const open = new Map<string, number>();

  const count = ({ kind, actor }: Caller): (() => void) => {
    const already = open.get(actor.id) ?? 0;
    if (already >= most[kind]) {
      const message = `You have ${already} live streams open; close one first.`;
      throw new Fault('rate_limited', message, { retryAfterMs: 5_000 });
    }
    open.set(actor.id, already + 1);
    return () => {
      const left = (open.get(actor.id) ?? 1) - 1;
      if (left === 0) open.delete(actor.id);
      else open.set(actor.id, left);
    };
  };

  return (c, door, begin) => {
    const caller = callerOf(c);
    // A HEAD request has nobody to read the rest.
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'content-type': 'text/event-stream' });
    const again = recall(c);
    const mayStay = async () => {
      const now = await again();
      return now !== undefined && now.workspaceId === caller.workspaceId && opens(now, door);
    };
    return eventStream({ clock, intervals, ending: live.ending, mayStay, begin, onEnd: count(caller) });
  };
};
