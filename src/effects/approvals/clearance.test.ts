import { describe, expect, test } from 'vitest';
import type { CatalogueStep, Effect, SendView, UpstreamRequest } from '#kit';
import { AwaitApproval } from './await-approval.ts';
import { createClearance, type Sender } from './clearance.ts';
import type { ApprovalRow } from './records.ts';

const request = { method: 'POST', path: '/me/sendMail' } as UpstreamRequest;
const view = { kind: 'mail', subject: 'Offer' } as SendView;
const composed = { accountId: 'acc_1', requests: [], view, digest: Buffer.from('aa', 'hex'), composedBy: 'this' };

const row = (status: string, change: Partial<ApprovalRow> = {}): ApprovalRow =>
  ({
    id: 'apr_1',
    status,
    reason: null,
    effect: 'send',
    view,
    ordinal: 3,
    digest: Buffer.from('aa', 'hex'),
    composed_by: 'this',
    ...change,
  }) as ApprovalRow;

type Scene = {
  decided?: readonly [number, ApprovalRow][];
  maySend?: boolean;
  doubt?: string | null;
  brake?: string | null;
  /** Whether the step says that it sends; `undefined` where it prepares nothing. */
  sends?: boolean;
  planned?: boolean;
  /** Whether an earlier execution wrote something; `undefined` where there was none. */
  wrote?: boolean;
  differences?: string[];
};

/** One step of a run, and what became of it. */
const scene = ({ decided = [], maySend = false, doubt, brake, sends, planned = true, wrote, differences }: Scene) => {
  const voided: string[] = [];
  const compared: unknown[] = [];
  const plans: unknown[] = [];
  const clearance = createClearance({
    planner: {
      plan: async (where) => {
        plans.push(where);
        return planned ? [{ request }] : undefined;
      },
      compose: async () => composed,
      readingOf: () => 'the reading' as never,
    },
    records: {
      ask: async () => 'apr_2',
      ofStep: async () => new Map(),
      hasWritten: async () => wrote === true,
      cancel: async () => {},
      invalidate: async ({ id }, reason) => void voided.push(`${id}: ${reason}`),
    },
  });
  const showing = {
    differences: async (...given: unknown[]) => {
      compared.push(given);
      return differences ?? [];
    },
  };
  const sender: Sender = {
    workspaceId: 'ws',
    runId: 'run',
    step: {
      id: 'mail.send_email',
      integration: { upstream: differences === undefined ? {} : { showing } },
      ...(sends === undefined ? {} : { sends: () => sends }),
    } as unknown as CatalogueStep,
    input: { to: 'ben' },
    context: { account: { id: 'acc_1' }, now: new Date(0) } as never,
    ordinalsFrom: 3,
    ordinalsTo: 9,
    resumed: wrote !== undefined,
    maySend,
    decided: new Map(decided),
    ...(doubt === undefined ? {} : { doubt: async () => doubt ?? undefined }),
    ...(brake === undefined ? {} : { brake: async () => brake ?? undefined }),
  };
  const ended = (work: Promise<void>): Promise<unknown> =>
    work.then(
      () => 'passed',
      (error: unknown) => error,
    );
  const writes = clearance.writes(sender);
  return {
    sender,
    voided,
    compared,
    plans,
    before: () => ended(clearance.beforeStep(sender, async () => {})),
    write: (effect: Effect, ordinal = 3) => ended(writes(request, effect, ordinal, ['made']).ready()),
    kept: (effect: Effect, excess?: string) => {
      const { ready, kept } = writes(request, effect, 3, []);
      sender.excess = async () => excess;
      return ended(ready().then(() => kept('eff_1')));
    },
  };
};

const asks = (why?: string, effect = 'send', ordinal = 3) =>
  expect.objectContaining({
    asked: {
      ...composed,
      ordinal,
      effect,
      why,
      stepId: 'mail.send_email',
      input: { to: 'ben' },
      composedAt: new Date(0),
    },
  });
const denied = (message: string, details: object = { approvalId: 'apr_1' }) =>
  expect.objectContaining({ code: 'approval_denied', message, details });

describe('before a step that prepares what it sends', () => {
  test('nothing is asked of one that sends nothing, or may send without doubt', async () => {
    const all = [
      scene({}),
      scene({ sends: false }),
      scene({ sends: true, maySend: true }),
      scene({ sends: true, planned: false }),
    ];
    for (const each of all) expect(await each.before()).toBe('passed');
    expect(all.map(({ plans }) => plans.length)).toEqual([0, 0, 0, 1]);
  });

  test('a person is asked about exactly what would leave, and why', async () => {
    const asked = await scene({ sends: true }).before();
    expect(asked).toBeInstanceOf(AwaitApproval);
    expect(asked).toEqual(asks());
    expect(await scene({ sends: true, doubt: 'unused' }).before()).toEqual(asks());
    expect(await scene({ sends: true, maySend: true, doubt: 'A stranger.' }).before()).toEqual(asks('A stranger.'));
    expect(await scene({ sends: true, maySend: true, doubt: null }).before()).toBe('passed');
    expect(await scene({ sends: true, decided: [[3, row('pending')]] }).before()).toEqual(asks());
  });

  test('what was approved passes and is recorded under its approval', async () => {
    const approved = scene({ sends: true, decided: [[3, row('approved')]] });
    expect(await approved.before()).toBe('passed');
    expect(approved.sender.approval).toEqual({ id: 'apr_1', digest: 'aa' });
    expect(approved.plans).toEqual([
      { workspaceId: 'ws', step: approved.sender.step, account: { id: 'acc_1' }, signal: undefined },
    ]);
  });

  test('what is not what was approved is refused, and its approval void', async () => {
    const other = scene({
      sends: true,
      maySend: true,
      decided: [[3, row('approved', { digest: Buffer.from('bb', 'hex') })]],
    });
    const reason = 'What would be sent now is not what was approved.';
    expect(await other.before()).toEqual(denied(`${reason} Nothing was sent; ask again.`));
    expect([other.voided, other.sender.approval]).toEqual([[`apr_1: ${reason}`], undefined]);
  });

  test('what another edition composed otherwise is asked about again, in the place of what was approved', async () => {
    const bb = Buffer.from('bb', 'hex');
    for (const composedBy of ['that', null]) {
      const row3 = row('approved', { digest: bb, composed_by: composedBy });
      const updated = scene({ sends: true, decided: [[3, row3]] });
      const asked = await updated.before();
      expect(asked).toBeInstanceOf(AwaitApproval);
      expect(asked).toMatchObject({ asked: { ordinal: 3, why: expect.stringContaining('was updated'), instead: bb } });
      expect([updated.voided, updated.sender.approval]).toEqual([[], undefined]);
      const row4 = row('approved', { ordinal: 4, effect: 'destroy', digest: bb, composed_by: composedBy });
      expect(await scene({ decided: [[4, row4]] }).write('destroy', 4)).toMatchObject({
        asked: { ordinal: 4, effect: 'destroy', instead: bb },
      });
    }
    const same = scene({ sends: true, decided: [[3, row('approved', { composed_by: 'that' })]] });
    expect(await same.before()).toBe('passed');
  });

  test('what has begun to write is not composed a second time: its send is held to it', async () => {
    const begun = scene({ sends: true, decided: [[3, row('approved')]], wrote: true, differences: ['to'] });
    expect([await begun.before(), begun.plans]).toEqual(['passed', []]);
    expect(await begun.write('send', 5)).toMatchObject({ code: 'approval_denied' });
    const alone = scene({ sends: true, maySend: true, doubt: 'A stranger.', wrote: true });
    expect([await alone.before(), alone.plans]).toEqual(['passed', []]);
    expect(await alone.write('send', 5)).toEqual(asks('A stranger.', 'send', 5));
    const resumed = scene({ sends: true, decided: [[3, row('approved')]], wrote: false });
    expect([await resumed.before(), resumed.plans.length]).toEqual(['passed', 1]);
    expect(await scene({ sends: true, decided: [[3, row('rejected')]], wrote: true }).before()).toMatchObject({
      code: 'approval_denied',
    });
  });

  test.each([
    ['rejected', null, 'A person refused this. Nothing was sent; respect it.'],
    ['rejected', ' Too dear. ', 'A person refused this: Too dear. Nothing was sent; respect it.'],
    ['rejected', '3.50 is wrong', 'A person refused this: 3.50 is wrong. Nothing was sent; respect it.'],
    ['expired', null, 'Nobody decided about this in time. Nothing was sent.'],
    [
      'void',
      'The account was disconnected.',
      'What was asked for does not hold any more: The account was disconnected. Nothing was sent.',
    ],
  ])('what is %s (%s) stays unsent, even of a step that says it sends nothing', async (status, reason, message) => {
    const details = { approvalId: 'apr_1', ...(reason === null ? {} : { reason }) };
    for (const sends of [true, false]) {
      expect(await scene({ sends, maySend: true, decided: [[3, row(status, { reason })]] }).before()).toEqual(
        denied(message, details),
      );
    }
  });
});

describe('in the moment before a send leaves', () => {
  test('it is let through, asked about or refused by what is known of it', async () => {
    expect(await scene({ maySend: true }).write('send')).toBe('passed');
    expect(await scene({}).write('send')).toEqual(asks());
    expect(await scene({}).write('send', 4)).toEqual(asks(undefined, 'send', 4));
    expect(await scene({ maySend: true, doubt: null }).write('send')).toBe('passed');
    expect(await scene({ maySend: true, doubt: 'A stranger.' }).write('send')).toEqual(asks('A stranger.'));
    const asked = scene({ decided: [[4, row('pending')]], maySend: true, doubt: 'A stranger.' });
    expect(await asked.write('send', 4)).toEqual(asks('A stranger.', 'send', 4));
    const approved = scene({ decided: [[4, row('approved')]] });
    expect(await approved.write('send', 4)).toBe('passed');
    expect(approved.sender.approval).toEqual({ id: 'apr_1', digest: 'aa' });
    const other = scene({ decided: [[4, row('approved', { digest: Buffer.from('bb', 'hex') })]], maySend: true });
    expect(await other.write('send', 4)).toEqual(
      denied('What would be sent now is not what was approved. Nothing was sent; ask again.'),
    );
    expect(await scene({ decided: [[4, row('rejected')]], maySend: true }).write('send', 4)).toEqual(
      denied('A person refused this. Nothing was sent; respect it.'),
    );
  });

  test('the approval of the whole step holds for its first send, as the service holds it', async () => {
    const whole = scene({ decided: [[3, row('approved')]], differences: [] });
    expect(await whole.write('send', 5)).toBe('passed');
    expect(whole.compared).toEqual([[view, request, 'the reading', ['made']]]);
    expect(whole.sender.approval).toEqual({ id: 'apr_1', digest: 'aa' });
    expect(await whole.write('send', 6)).toEqual(asks(undefined, 'send', 6));
    expect(await scene({ decided: [[3, row('approved')]] }).write('send', 5)).toBe('passed');
  });

  test('a draft that differs from what was approved does not leave', async () => {
    const changed = scene({ decided: [[3, row('approved')]], differences: ['to', 'body'] });
    const reason = 'What the service holds differs from what was approved (to, body).';
    expect(await changed.write('send', 5)).toEqual(denied(`${reason} Nothing was sent; ask again.`));
    expect(changed.voided).toEqual([`apr_1: ${reason}`]);
    const refused = scene({ decided: [[3, row('rejected')]], differences: [] });
    expect(await refused.write('send', 5)).toEqual(denied('A person refused this. Nothing was sent; respect it.'));
    expect(refused.compared).toEqual([]);
  });

  test('what a run may send by itself was judged whole, once, and must still be that', async () => {
    const judged = scene({ sends: true, maySend: true, doubt: null, differences: [] });
    await judged.before();
    expect(await judged.write('send', 5)).toBe('passed');
    expect(judged.compared).toHaveLength(1);
    expect(await judged.write('send', 6)).toBe('passed');
    expect(judged.compared).toHaveLength(1);
    const changed = scene({ sends: true, maySend: true, doubt: null, differences: ['subject'] });
    await changed.before();
    expect(await changed.write('send', 5)).toEqual(
      expect.objectContaining({
        code: 'conflict',
        message:
          'Somebody changed the draft before it was sent (subject). Nothing was sent; look at the draft, then decide.',
      }),
    );
  });
});

describe('in the moment before something is removed', () => {
  test('nobody is asked until it is too much', async () => {
    expect(await scene({}).write('destroy')).toBe('passed');
    expect(await scene({ brake: null }).write('destroy')).toBe('passed');
    expect(await scene({ brake: 'The sixth.' }).write('destroy', 4)).toEqual(asks('The sixth.', 'destroy', 4));
    expect(await scene({ decided: [[4, row('pending')]] }).write('destroy', 4)).toEqual(asks(undefined, 'destroy', 4));
  });

  test('a decision holds for it alone', async () => {
    const approved = scene({ brake: 'The sixth.', decided: [[4, row('approved', { effect: 'destroy' })]] });
    expect(await approved.write('destroy', 4)).toBe('passed');
    expect(approved.sender.approval).toEqual({ id: 'apr_1', digest: 'aa' });
    expect(await approved.write('destroy', 5)).toEqual(asks('The sixth.', 'destroy', 5));
    const refused = scene({ decided: [[4, row('rejected', { effect: 'destroy' })]] });
    expect(await refused.write('destroy', 4)).toEqual(
      denied('A person refused this. Nothing was removed; respect it.'),
    );
  });

  test('other writes and reads are nobody’s business here', async () => {
    const refused = scene({ brake: 'The sixth.', decided: [[3, row('rejected')]] });
    expect([await refused.write('write'), await refused.write('read')]).toEqual(['passed', 'passed']);
    expect(refused.sender.approval).toBeUndefined();
  });
});

describe('once a write is intended', () => {
  test.each<['send' | 'destroy']>([['send'], ['destroy']])(
    'a %s that is one too many waits for a person',
    async (effect) => {
      const free = { maySend: true, doubt: null };
      expect(await scene(free).kept(effect)).toBe('passed');
      expect(await scene(free).kept(effect, 'Too many.')).toEqual(asks('Too many.', effect));
      expect(await scene(free).kept('write', 'Too many.')).toBe('passed');
    },
  );

  test('what a person approved is not counted again, nor asked about anew before the step', async () => {
    const approved = scene({ maySend: true, doubt: null, sends: true, decided: [[4, row('approved')]] });
    expect(await approved.before()).toBe('passed');
    expect(approved.plans).toEqual([]);
    expect(await scene({ decided: [[3, row('approved')]] }).kept('send', 'Too many.')).toBe('passed');
  });
});
