import { expect, test } from 'vitest';
import { defaultIntervals, systemClock } from '#clock';
import { createJobs } from '#jobs';
import { silentLog } from '#log';
import { type Actor, createSealer, keyRingFromText, openStore, type Role } from '#store';
import { workbench } from '#test';
import { createMembers, createSettings, createWorkspaces, ensureFirstOwner } from '#workspaces';
import { freshDatabase } from '../../test/database.ts';
import { openSmtpSink } from '../../test/smtp-sink.ts';
import { createNotices, type Notices } from './index.ts';

const actor: Actor = { kind: 'system', id: 'test', name: 'Test' };
const clock = systemClock();
const sealer = createSealer(keyRingFromText(Buffer.alloc(32).toString('base64')));

/** The room by itself, beside a mail server on loopback. */
const office = async (port: number | undefined) => {
  const database = await freshDatabase();
  const store = openStore({ ...database, max: 4, log: silentLog });
  const notices: Notices = createNotices({
    store,
    sealer,
    clock,
    intervals: { ...defaultIntervals, noticeRetryMs: 2 },
    log: silentLog,
    jobs: () => jobs,
    outside: { connect: () => {}, mayReach: () => false, plainLoopback: false },
    smtp: port === undefined ? undefined : { host: '127.0.0.1', port, secure: false, from: 'switchboard@house.test' },
    publicUrl: new URL('https://switchboard.house.test'),
  });
  const jobs = createJobs({ ...database, jobs: notices.jobs, log: silentLog, clock, intervals: { pollMs: 50 } });
  await jobs.start({ work: true });
  const { workspaceId, personId: ownerId } = await ensureFirstOwner({ store, clock });
  const members = createMembers({ store, clock });
  const add = (role: Role) => members.add(workspaceId, { email: `${role}@people.test`, role }, actor);
  const approval = {
    workspaceId,
    approvalId: 'apr_1',
    accountName: 'ada@sandbox.test',
    effect: 'send' as 'send' | 'destroy',
    subject: 'Offer',
    expiresAt: new Date('2030-01-01T00:00:00Z'),
  };
  return {
    store,
    workspaceId,
    ownerId,
    members,
    settings: createSettings({ store, clock, sealer }),
    add,
    tell: (over: Partial<typeof approval> = {}) =>
      store
        .of(workspaceId)
        .transaction()
        .execute((tx) => notices.tellApprovers(tx, { ...approval, ...over })),
    deliveries: () => store.system.selectFrom('notice_deliveries').selectAll().execute(),
    notices,
    [Symbol.asyncDispose]: async () => {
      await jobs.stop({ drainMs: 100 });
      await notices.close();
      await store.close();
      await database[Symbol.asyncDispose]();
    },
  };
};

const eventually = <Value>(look: () => Value | Promise<Value>) => expect.poll(look, { interval: 20 });

test('all who may decide are mailed the workspace, the account, the subject line and a link, and nothing is kept of it', async () => {
  await using sink = await openSmtpSink();
  await using house = await office(sink.port);
  for (const role of ['viewer', 'approver', 'builder'] as const) await house.add(role);

  await house.tell();

  await eventually(() => sink.letters.flatMap(({ to }) => to).toSorted()).toEqual([
    'approver@people.test',
    'builder@people.test',
    'owner@switchboard.local',
  ]);
  const [letter] = sink.letters;
  expect(letter?.from).toBe('switchboard@house.test');
  expect(letter?.data).toContain('Subject: Waiting for your approval: Offer\n');
  expect(letter?.data).toContain('Workspace: My workspace\nAccount: ada@sandbox.test\n');
  expect(letter?.data).toContain(
    'before Tuesday, 1 January 2030 at 00:00 UTC:\nhttps://switchboard.house.test/approvals/apr_1',
  );
  expect(letter?.data).toMatch(/Content-Type: text\/plain/);
  const states = async () => (await house.deliveries()).map(({ state, mail }) => [state, mail]);
  await eventually(states).toEqual(Array.from({ length: 3 }, () => ['delivered', null]));
});

test('a removal that waits is not said to be a send', async () => {
  await using sink = await openSmtpSink();
  await using house = await office(sink.port);
  await house.tell({ effect: 'destroy' });
  await eventually(() => sink.letters.length).toBe(1);
  expect(sink.letters[0]?.data).toContain('Something waits to be removed until somebody approves it.');
  expect(sink.letters[0]?.data).not.toContain('sent');
});

test('a subject line cannot add recipients, headers or lines of its own', async () => {
  await using sink = await openSmtpSink();
  await using house = await office(sink.port);

  await house.tell({ subject: 'Hi\r\nBcc: evil@example.test\r\n\r\nClick here\u202e \u0000' });

  await eventually(() => sink.letters.length).toBe(1);
  const [letter] = sink.letters;
  expect(letter?.to).toEqual(['owner@switchboard.local']);
  expect(letter?.data).not.toMatch(/^(Bcc|Click)/im);
});

test('a mail server that is not ready is asked again with the same message id; one that refuses the person is not', async () => {
  await using sink = await openSmtpSink((recipient, nth) =>
    recipient.startsWith('approver') ? '550 no such person' : nth < 4 ? '451 later' : undefined,
  );
  await using house = await office(sink.port);
  await house.add('approver');

  await house.tell();

  await eventually(async () => (await house.deliveries()).map(({ state }) => state).toSorted()).toEqual([
    'delivered',
    'failed',
  ]);
  const rows = await house.deliveries();
  const [refused, taken] = [
    rows.find(({ state }) => state === 'failed'),
    rows.find(({ state }) => state === 'delivered'),
  ];
  expect(refused).toMatchObject({ attempts: 1, mail: null });
  expect(refused?.tries[0]?.error).toContain('550');
  expect(taken?.attempts).toBeGreaterThan(1);
  expect(sink.letters.map(({ data }) => /^Message-ID: (.*)$/m.exec(data)?.[1])).toEqual([`<${taken?.id}@house.test>`]);
});

test('whoever may no longer decide when the mail would leave is not told', async () => {
  // Never ready for this person: a try that is under way when the role changes delivers nothing.
  await using sink = await openSmtpSink((recipient) => (recipient.startsWith('approver') ? '451 later' : undefined));
  await using house = await office(sink.port);
  const { id } = await house.add('approver');
  await house.tell();
  await eventually(() => sink.asked()).toBeGreaterThan(1);

  // What they decide elsewhere is nothing of ours.
  const elsewhere = await createWorkspaces({ store: house.store, clock }).create('Elsewhere', {
    personId: house.ownerId,
    actor,
    vouchedBy: null,
  });
  await house.members.add(elsewhere.id, { email: 'approver@people.test', role: 'owner' }, actor);
  await house.members.changeRole(house.workspaceId, id, 'viewer', actor);

  const last = async () =>
    (await house.deliveries()).map(({ state, tries }) => [state, tries.at(-1)?.error]).toSorted();
  await eventually(last).toEqual([
    ['delivered', undefined],
    ['failed', 'This person decides nothing here any more.'],
  ]);
  expect(sink.letters.flatMap(({ to }) => to)).toEqual(['owner@switchboard.local']);
});

test('nothing is stored without a mail server, where the workspace wants none, or when the asking is undone', async () => {
  await using sink = await openSmtpSink();
  await using without = await office(undefined);
  await without.tell();
  expect(await without.deliveries()).toEqual([]);
  await using house = await office(sink.port);
  await house.settings.change(house.workspaceId, { mailApprovers: false }, actor);
  await house.tell();
  await house.settings.change(house.workspaceId, { mailApprovers: true }, actor);
  const undone = house.store
    .of(house.workspaceId)
    .transaction()
    .execute(async (tx) => {
      const asked = { workspaceId: house.workspaceId, approvalId: 'apr_2', accountName: 'A', expiresAt: new Date() };
      await house.notices.tellApprovers(tx, { ...asked, effect: 'send' });
      throw new Error('undone');
    });
  await expect(undone).rejects.toThrow('undone');
  expect(await house.deliveries()).toEqual([]);
});

test('the settings say whether mail can leave, and whether it should', async () => {
  await using bench = await workbench();
  expect((await bench.owned('GET', '/v1/settings')).body.approverNotices).toEqual({ mail: true, mailServer: false });

  const { body } = await bench.owned('PATCH', '/v1/settings', { approverNotices: { mail: false } });

  expect(body.approverNotices).toEqual({ mail: false, mailServer: false });
});
