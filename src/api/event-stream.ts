import type { Clock, Intervals } from '#clock';

/** Events on their way to one reader. */
export type Sender = {
  /** Sends one event; data is JSON. Without a name it is a message. */
  send(data: unknown, event?: string): void;
  end(): void;
};

/** What a reader may leave unread. Whoever reads slower is cut off, and finds the present state when connecting again. */
const mostUnread = 4_000_000;

const heading = {
  'content-type': 'text/event-stream; charset=utf-8',
  // For proxies that would keep events until there are enough of them, to pass them on or to compress them.
  'x-accel-buffering': 'no',
  'cache-control': 'no-store, no-transform',
};

/**
 * An answer that goes on: what `begin` sends, with a sign of life now and then. It ends when the reader leaves, the process
 * ends, or whoever asked may not read any more.
 */
export const eventStream = (options: {
  clock: Clock;
  intervals: Pick<Intervals, 'liveBeatMs'>;
  ending: AbortSignal;
  mayStay(): Promise<boolean>;
  /** Answers what to call when it is over. */
  begin(out: Sender): () => void;
  onEnd(): void;
}): Response => {
  const { clock, intervals, ending, mayStay, begin, onEnd } = options;
  const bytes = new TextEncoder();
  let over = false;
  let leave = () => {};
  let callOff = () => {};

  const finish = (): boolean => {
    if (over) return false;
    over = true;
    callOff();
    ending.removeEventListener('abort', end);
    leave();
    onEnd();
    return true;
  };
  let end = () => {};

  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        end = () => {
          if (finish()) controller.close();
        };
        const write = (text: string) => {
          if (over) return;
          if ((controller.desiredSize ?? 0) < -mostUnread) return end();
          controller.enqueue(bytes.encode(text));
        };
        const beat = () => {
          callOff = clock.after(intervals.liveBeatMs, () => {
            write(': here\n\n');
            void mayStay()
              // Storage that is away says nothing about them.
              .catch(() => true)
              .then((may) => {
                if (!may) end();
                else if (!over) beat();
              });
          });
        };
        ending.addEventListener('abort', end);
        write('retry: 2000\n\n');
        if (ending.aborted) return end();
        beat();
        leave = begin({
          send: (data, event) =>
            write(`${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`),
          end,
        });
        if (over) leave();
      },
      cancel: () => void finish(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 65_536 }),
  );
  return new Response(body, { headers: heading });
};
