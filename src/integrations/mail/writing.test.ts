import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Workbench, workbench } from '#test';

let bench: Workbench;
/** Ada again, with every permission a test needs beyond the everyday ones. */
let wide: string;
const wideScopes = [
  'User.Read',
  'Mail.ReadWrite',
  'Mail.Send',
  'Mail.ReadWrite.Shared',
  'Mail.Send.Shared',
  'MailboxSettings.ReadWrite',
];
const control = async (path: string, body: unknown) => {
  const answer = await fetch(`${bench.mail.url}/_control/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as { id: string; immutableId: string; internetMessageId: string };
};
const deliver = (mail: object) => control('deliver', { to: 'ada@sandbox.test', from: 'ben@sandbox.test', ...mail });
const read = (messageId: string, more: object = {}) => bench.run('mail.get_email', { messageId, ...more });

beforeAll(async () => {
  bench = await workbench({ mail: true });
  wide = await bench.connectMail('ada@sandbox.test', wideScopes);
});
beforeEach(() => bench.mail.control.faults.clear());
afterAll(() => bench[Symbol.asyncDispose]());

describe('labels', () => {
  test('are added to those a message has, once, as the mailbox spells them', async () => {
    const { id } = await deliver({ subject: 'Label me' });
    const add = (labels: string[]) => bench.run('mail.add_label', { messageId: id, labels });

    expect(await add(['red CATEGORY'])).toEqual({
      labels: ['Red category'],
      added: ['Red category'],
      alreadyPresent: [],
    });
    expect(await add(['Red category', 'Blue category'])).toEqual({
      labels: ['Red category', 'Blue category'],
      added: ['Blue category'],
      alreadyPresent: ['Red category'],
    });
    expect(await bench.run('mail.remove_label', { messageId: id, labels: ['red category', 'Nope'] })).toEqual({
      labels: ['Blue category'],
      removed: ['Red category'],
      notPresent: ['Nope'],
    });
    const { items: offered } = await bench.run('mail.list_labels', {});
    const { id: blue } = offered.find(({ name }: { name: string }) => name === 'Blue category');
    expect((await bench.run('mail.find_email', { label: blue })).items[0]).toMatchObject({ subject: 'Label me' });
    expect(
      (await bench.run('mail.find_email', { label: 'Blue category', sender: ['ben@sandbox.test'], isRead: false }))
        .items,
    ).toMatchObject([{ subject: 'Label me' }]);
    expect(await bench.run('mail.remove_label', { messageId: id, labels: [blue] })).toEqual({
      labels: [],
      removed: ['Blue category'],
      notPresent: [],
    });
  });

  test('that somebody else adds meanwhile are kept', async () => {
    const { id } = await deliver({ subject: 'Busy' });
    const names = ['Red category', 'Blue category', 'Green category', 'Yellow category'];

    await Promise.all(names.map((name) => bench.run('mail.add_label', { messageId: id, labels: [name] })));

    expect((await read(id)).categories.toSorted()).toEqual(names.toSorted());
  });

  test('that the mailbox does not offer are refused with candidates, or made with the right permission', async () => {
    const { id } = await deliver({ subject: 'New label' });
    const input = { messageId: id, labels: ['Invoices'] };
    await expect(bench.run('mail.add_label', input)).rejects.toThrow(/input\.labels.*candidates.*Red category/);
    await expect(bench.run('mail.add_label', { ...input, createMissing: true })).rejects.toThrow(
      /missingScopes.*MailboxSettings.ReadWrite/,
    );

    const run = { accountId: wide, input: { ...input, createMissing: true } };
    const { body } = await bench.owned('POST', '/v1/steps/mail.add_label/run', run);

    expect(body.output).toMatchObject({ added: ['Invoices'] });
    expect((await bench.run('mail.list_labels', {})).items).toContainEqual(
      expect.objectContaining({ name: 'Invoices' }),
    );
  });

  test('of a shared mailbox are used as written: which it offers cannot be read there', async () => {
    const { id } = await deliver({ to: 'team@sandbox.test', subject: 'For all of us' });
    const input = { mailbox: 'team@sandbox.test', messageId: id, labels: ['Orders'] };
    const { body } = await bench.owned('POST', '/v1/steps/mail.add_label/run', { accountId: wide, input });
    expect(body).toMatchObject({ output: { added: ['Orders'] }, warnings: [expect.stringContaining('not your own')] });
  });

  test('cannot be made before that is granted, and the refusal tells how to ask for it', async () => {
    const accountId = await bench.connectMail('ben@sandbox.test');
    const { id } = await deliver({ to: 'ben@sandbox.test', subject: 'Ask first' });
    const input = { messageId: id, labels: ['Orders'], createMissing: true };
    const run = () => bench.owned('POST', '/v1/steps/mail.add_label/run', { accountId, input });

    const refused = await run();

    expect([refused.status, refused.body.error.code]).toEqual([403, 'forbidden']);
    const { missingScopes, connect } = refused.body.error.details;
    expect(missingScopes).toEqual(['MailboxSettings.ReadWrite']);
    expect(connect).toMatchObject({ accountId, permissionTypes: ['standard', 'mailbox_settings'] });
    bench.mail.world.tokens.consentMode = { mode: 'auto', as: 'ben@sandbox.test' };
    const { body: link } = await bench.owned('POST', '/v1/connect', connect);
    expect((await bench.visitor().visit(link.url)).accountId).toBe(accountId);
    expect((await run()).body.output).toMatchObject({ added: ['Orders'] });
    // What exists already needs no further permission.
    const cy = await bench.connectMail('cy@sandbox.test');
    const mail = await deliver({ to: 'cy@sandbox.test', subject: 'Known label' });
    const known = { messageId: mail.id, labels: ['Red category'], createMissing: true };
    const { status } = await bench.owned('POST', '/v1/steps/mail.add_label/run', { accountId: cy, input: known });
    expect(status).toBe(200);
  });

  test('are set once although the answer is lost', async () => {
    const { id } = await deliver({ subject: 'Lost label' });
    bench.mail.control.faults.add({ match: { method: 'PATCH' }, kind: 'accept_then', status: 504, times: 1 });

    expect(await bench.run('mail.add_label', { messageId: id, labels: ['Red category'] })).toMatchObject({
      labels: ['Red category'],
    });
  });
});

test('a moved message keeps the id that is answered, also when the answer is lost', async () => {
  const { immutableId } = await deliver({ subject: 'Move me' });
  const move = (folder: string) => bench.run('mail.move_email', { messageId: immutableId, folder });

  expect(await move('archive')).toMatchObject({
    messageId: immutableId,
    fromFolder: { name: 'Inbox' },
    toFolder: { name: 'Archive' },
    moved: true,
  });
  bench.mail.control.faults.add({
    match: { method: 'POST', path: '/move$' },
    kind: 'accept_then',
    status: 504,
    times: 1,
  });
  expect(await move('Inbox')).toMatchObject({ messageId: immutableId, moved: true });
  expect(await move('Inbox')).toMatchObject({ moved: false });
  await expect(move('outbox')).rejects.toThrow(/send_draft/);
  expect((await bench.run('mail.find_email', { folder: 'inbox', subject: 'Move me' })).items).toHaveLength(1);
});

test('a message is marked read and unread again', async () => {
  const { id } = await deliver({ subject: 'Read me' });

  await bench.run('mail.mark_read', { messageId: id });
  expect((await read(id)).isRead).toBe(true);
  bench.mail.control.faults.add({ match: { method: 'PATCH' }, kind: 'accept_then', status: 504, times: 1 });
  await bench.run('mail.mark_read', { messageId: id, isRead: false });
  expect((await read(id)).isRead).toBe(false);
});
