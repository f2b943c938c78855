import { expect, test } from 'vitest';
import { Fault } from '#kit';
import { createLog } from '#log';
import { answerTo } from './failures.ts';

test('while storage is away the log tells it once, whoever asks; of other failures each is found by its request', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) }, () => 0);
  const asking = (requestId: string) => ({ log, asked: { requestId, workspace: 'ws_1' } });
  for (const requestId of ['req_1', 'req_2', 'req_3']) {
    const away = new Fault('unavailable', 'Storage cannot be reached now.', { cause: new Error('refused') });
    expect(answerTo(away, asking(requestId)).body.error.requestId).toBe(requestId);
  }
  for (const requestId of ['req_4', 'req_5']) answerTo(new Fault('internal', 'Wrong.'), asking(requestId));

  const told = lines.map((line) => JSON.parse(line) as { level: string; requestId?: string; err: { message: string } });
  expect(told.map(({ level, requestId, err }) => [level, requestId, err.message])).toEqual([
    ['warn', undefined, 'refused'],
    ['error', 'req_4', 'Wrong.'],
    ['error', 'req_5', 'Wrong.'],
  ]);
});
