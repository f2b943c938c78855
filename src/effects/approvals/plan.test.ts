import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Caller } from '#accounts';
import { type CatalogueStep, type Content, Fault, type Path, type SendView, type UpstreamRequest } from '#kit';
import { approvalDigest, shownRequest } from './digest.ts';
import { createPlanner, type Where } from './plan.ts';
import { headlineOf } from './records.ts';

const path = (text: string) => text as Path;

/** A service in which everything below /send is a send, and what was really asked of it. */
const scene = (showing?: object) => {
  const calls: unknown[] = [];
  const caller = {
    asAccount: async (workspaceId: string, accountId: string, request: UpstreamRequest, how: object) => {
      calls.push({ workspaceId, accountId, method: request.method, path: request.path, how });
      return { status: 200, headers: {}, body: { read: request.path } };
    },
  } as unknown as Caller;
  const effectOf = (request: UpstreamRequest) => {
    if (request.method === 'GET') return 'read';
    return request.path.startsWith('/send') ? 'send' : 'write';
  };
  const readFault = () => new Fault('upstream_rejected', 'No.');
  const where = {
    workspaceId: 'ws',
    step: {
      integration: { upstream: { effectOf, readFault, ...(showing && { showing }) } },
    } as unknown as CatalogueStep,
    account: { id: 'acc_1' },
  } as unknown as Where;
  return { calls, where, planner: createPlanner({ caller, edition: '1' }) };
};

const imagining = {
  imagine: async ({ path: at }: UpstreamRequest) => (at === '/unknown' ? undefined : { id: `made at ${at}` }),
};
const contentOf = (text: string): Content =>
  ({
    size: Buffer.byteLength(text),
    slice: async (from: number, to: number) => Buffer.from(text).subarray(from, to),
  }) satisfies Content;

test('more than anybody could look through is refused before it is composed', async () => {
  const { where, planner } = scene();
  const sending = (fields: number) => {
    const body = Object.fromEntries(Array.from({ length: fields }, (_, n) => [`field${n}`, n]));
    return planner.compose(where, [{ request: { method: 'POST', path: path('/send'), body } }]);
  };
  await expect(sending(20_000)).rejects.toMatchObject({
    code: 'invalid_input',
    message: 'The body has more than 20000 values: nobody could see what would be sent.',
  });
  expect((await sending(19_999)).requests).toHaveLength(1);
});

describe('a plan', () => {
  test('reads for real, imagines what is written, and ends at the first send', async () => {
    const { calls, where, planner } = scene(imagining);
    const seen: unknown[] = [];
    const planned = await planner.plan(where, async (upstream) => {
      seen.push(await upstream.get(path('/original')));
      seen.push(await upstream.post(path('/draft'), { body: { a: 1 } }));
      await upstream.post(path('/send'));
      seen.push('never');
    });
    expect(seen).toEqual([{ read: '/original' }, { id: 'made at /draft' }]);
    expect(planned).toEqual([
      {
        request: { method: 'POST', path: '/draft', body: { a: 1 } },
        content: undefined,
        answer: { id: 'made at /draft' },
      },
      { request: { method: 'POST', path: '/send' }, content: undefined },
    ]);
    expect(calls).toEqual([
      { workspaceId: 'ws', accountId: 'acc_1', method: 'GET', path: '/original', how: { signal: undefined } },
    ]);
  });

  test('of a step that sends nothing is none, and its own failures are its own', async () => {
    const { where, planner } = scene(imagining);
    expect(await planner.plan(where, async () => {})).toBeUndefined();
    await expect(planner.plan(where, async () => Promise.reject(new Error('its own')))).rejects.toThrow('its own');
  });

  test('cannot be made where a write cannot be imagined', async () => {
    const message = 'This cannot be composed without writing something.';
    for (const { where, planner } of [scene(imagining), scene()]) {
      await expect(planner.plan(where, (upstream) => upstream.post(path('/unknown')))).rejects.toThrow(message);
    }
  });

  test('holds uploads by name, size and digest, however long they are, and downloads for real', async () => {
    const { calls, where, planner } = scene(imagining);
    const long = 'abc'.repeat(500_000);
    const planned = await planner.plan(where, async (upstream) => {
      const body = { AttachmentItem: { name: 'a.zip' } };
      await upstream.upload(path('/draft/upload'), { body, content: contentOf(long) });
      await upstream.upload(path('/draft/upload'), { content: contentOf('') });
      await upstream.download(path('/file'), { into: async () => {}, maxBytes: 5 });
      await upstream.upload(path('/send'), { content: contentOf('x') });
    });
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    expect(planned?.map(({ content }) => content)).toEqual([
      { name: 'a.zip', size: 1_500_000, sha256: sha256(long) },
      { name: 'file', size: 0, sha256: sha256('') },
      { name: 'file', size: 1, sha256: sha256('x') },
    ]);
    expect(calls).toEqual([
      expect.objectContaining({ path: '/file', how: { into: expect.any(Function), maxBytes: 5, signal: undefined } }),
    ]);
  });
});

describe('what is composed', () => {
  const planned = [
    { request: { method: 'POST', path: path('/send'), query: { a: '1' }, body: { b: 2 } } as UpstreamRequest },
  ];

  test('is shown by the service’s own view, and bound to it', async () => {
    const view = { kind: 'mail', subject: 'Offer' } as SendView;
    const { where, planner } = scene({ view: async () => view });
    const bound = { accountId: 'acc_1', requests: planned.map(shownRequest), view };
    const digest = approvalDigest(bound);
    expect(await planner.compose(where, planned)).toEqual({ ...bound, digest, composedBy: '1' });
  });

  test('is shown as it is where the service has no view', async () => {
    const { where, planner } = scene();
    const nobody = { kind: 'request', to: [], cc: [], bcc: [], replyTo: [], attachments: [], warnings: [] };
    expect((await planner.compose(where, planned)).view).toEqual({
      ...nobody,
      fields: { method: 'POST', path: '/send', query: { a: '1' }, body: { b: 2 } },
    });
    expect(headlineOf((await planner.compose(where, planned)).view).request).toBe('POST /send');
    const twice = [...planned, ...planned];
    expect((await planner.compose(where, twice)).view.fields).toEqual({ requests: twice.map(shownRequest) });
    expect((await planner.compose(where, [])).view.fields).toEqual({ method: undefined, path: undefined });
  });

  test('is looked up by reads alone', async () => {
    const { calls, where, planner } = scene();
    const { upstream, account } = planner.readingOf(where);
    expect([await upstream.get(path('/a')), account]).toEqual([{ read: '/a' }, { id: 'acc_1' }]);
    await upstream.download(path('/b'), { into: async () => {}, maxBytes: 7 });
    for (const write of [upstream.post(path('/draft')), upstream.upload(path('/draft'), { content: contentOf('x') })]) {
      await expect(write).rejects.toThrow('Nothing is written while a send is shown.');
    }
    expect(calls).toEqual([
      expect.objectContaining({ path: '/a', how: { signal: undefined } }),
      expect.objectContaining({ path: '/b', how: { into: expect.any(Function), maxBytes: 7, signal: undefined } }),
    ]);
  });
});

test('the headline of several requests in one counts what is enclosed in each, and what is to be looked at', () => {
  const part = { ...{ kind: 'mail' as const, to: [], cc: [], bcc: [], replyTo: [], fields: {} } };
  const file = { name: 'a.txt' };
  const parts = [
    { ...part, attachments: [file, file], warnings: ['One.'] },
    { ...part, attachments: [file], warnings: [] },
  ];
  expect(headlineOf({ ...part, attachments: [], warnings: ['Several.'], parts })).toMatchObject({
    attachments: 3,
    warnings: 2,
  });
});
