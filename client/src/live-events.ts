export type LiveEvent = { event: string; id: string | undefined; data: unknown };

const parse = (block: string): LiveEvent | undefined => {
  const fields = block
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(':'))
    .map((line) => {
      const at = line.indexOf(':');
      return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1).replace(/^ /, '')];
    });
  const all = (name: string) => fields.filter(([field]) => field === name).map(([, value = '']) => value);
  const data = all('data');
  if (data.length === 0) return undefined;
  return { event: all('event').at(-1) ?? 'message', id: all('id').at(-1), data: JSON.parse(data.join('\n')) };
};

/** The events of a text/event-stream whose data is JSON. */
export async function* liveEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<LiveEvent> {
  const decoder = new TextDecoder();
  let pending = '';
  // Not `for await`: not every browser can walk a stream.
  const reader = body.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      pending += decoder.decode(next.value, { stream: true }).replaceAll('\r\n', '\n');
      const blocks = pending.split('\n\n');
      pending = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parse(block);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    // Whoever has seen enough hangs up; of a stream that has ended or failed nothing is left to end.
    await reader.cancel().catch(() => {});
  }
}
