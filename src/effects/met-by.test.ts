import { expect, test } from 'vitest';
import type { UpstreamRequest } from '#kit';
import { metBy } from './met-by.ts';
import { digestOf, type EffectRow } from './record.ts';

const requestOf = (told: string) => {
  const [method, path, name] = told.split(' ');
  return { method, path, body: { name } } as unknown as UpstreamRequest;
};
const leftBy = (told: string) => {
  const [method, path, name, state, effect = 'write'] = told.split(' ');
  const request = requestOf(`${method} ${path} ${name}`);
  return { method, path, state, effect, digest: digestOf(request), told } as unknown as EffectRow & { told: string };
};

test.each<[string, string[], string, string | undefined]>([
  ['that of the same request', ['PUT /c 1 sent', 'POST /c/a 2 sent'], 'PUT /c 1', 'PUT /c 1 sent'],
  [
    'that of the same request behind another',
    ['PUT /c 1 sent', 'POST /c/a 2 intended'],
    'POST /c/a 2',
    'POST /c/a 2 intended',
  ],
  ['the first of two that are alike', ['POST /c/a 2 sent', 'POST /c/a 2 intended'], 'POST /c/a 2', 'POST /c/a 2 sent'],
  ['what was asked of the same address', ['PUT /c 1 sent', 'POST /c/a 2 intended'], 'PUT /c 3', 'PUT /c 1 sent'],
  ['what may still arrive there first', ['PUT /c 1 not_sent', 'PUT /c 2 intended'], 'PUT /c 3', 'PUT /c 2 intended'],
  ['what did not happen, if it comes next', ['POST /c 1 not_sent'], 'DELETE /e 2', 'POST /c 1 not_sent'],
  ['none, where it harms nothing', ['POST /c/a 2 intended'], 'PUT /d 3', undefined],
  ['what was made otherwise', ['PUT /c 1 sent', 'POST /c 2 sent'], 'POST /d 2', 'POST /c 2 sent'],
  ['what was removed otherwise', ['DELETE /e 1 sent destroy'], 'POST /e/cancel 1', 'DELETE /e 1 sent destroy'],
  ['none behind a mere change', ['PUT /c 1 sent'], 'POST /d 2', undefined],
])('a write of a run that goes on comes to %s', (_, left, now, expected) => {
  const met = metBy(left.map(leftBy), requestOf(now), 'write') as (EffectRow & { told: string }) | undefined;
  expect(met?.told).toBe(expected);
});
