import { expect, test } from 'vitest';
import { systemClock } from '#clock';
import type { UpstreamAnswer } from '#kit';
import { uploadInParts } from './upload.ts';

const answer = (status: number, body: unknown): UpstreamAnswer => ({ status, headers: {}, body });

test('a part that is answered as if all were there is no file: with the last one it is', async () => {
  const sent: number[] = [];
  let sessions = 0;
  const done = await uploadInParts({
    way: {
      partBytes: 2,
      addressIn: () => 'https://elsewhere.example/1',
      readPart: ({ body }) => (typeof body === 'number' ? { next: body } : { made: null }),
    },
    content: { size: 4, slice: async (from, to) => new Uint8Array(to - from) },
    clock: systemClock(),
    signal: undefined,
    open: async () => answer(201, { session: (sessions += 1) }),
    send: async ({ from }) => {
      sent.push(from);
      if (from > 0) return answer(201, null);
      return sessions === 1 ? answer(200, '<html>') : answer(202, 2);
    },
  });
  expect([done.status, sessions, sent]).toEqual([201, 2, [0, 0, 2]]);
});
