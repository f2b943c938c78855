import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bootstrapKey, callerFor, type Workbench, workbench } from '#test';

let bench: Workbench;
beforeAll(async () => {
  bench = await workbench({ mail: true });
});
beforeEach(() => bench.mail.control.faults.clear());
afterAll(() => bench[Symbol.asyncDispose]());

const megabyte = 1024 * 1024;
const bytesOf = (size: number, seed = 1): Buffer => {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at += 4096) bytes.writeUInt32LE((at + seed) >>> 0, Math.min(at, size - 4));
  return bytes;
};
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const upload = async (name: string, content: Buffer): Promise<string> => {
  const answer = await fetch(`${bench.origin}/v1/files?name=${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'application/zip' },
    body: new Uint8Array(content),
  });
  return ((await answer.json()) as { ref: string }).ref;
};
/** The same file serves whoever attaches one of its size. */
const stored = new Map<string, Promise<string>>();
const store = (name: string, content: Buffer): Promise<string> => {
  const file = `${name} ${content.length}`;
  const ref = stored.get(file) ?? upload(name, content);
  stored.set(file, ref);
  return ref;
};
const contentOf = async (ref: string): Promise<Buffer> => {
  const answer = await fetch(`${bench.origin}/v1/files/${ref}`, {
    headers: { authorization: `Bearer ${bootstrapKey}` },
  });
  return Buffer.from(await answer.arrayBuffer());
};
const send = (step: string, input: object) => bench.run(`mail.${step}`, input, 'autopilot');
const outbox = (subject: string) => bench.mail.world.outbox.filter((mail) => mail.subject.includes(subject));
/** Everything in Ada's mailbox with that subject, drafts too, and what is attached to it. */
const kept = (subject: string) =>
  [...(bench.mail.world.mailboxOf('ada@sandbox.test')?.messages.values() ?? [])]
    .filter((mail) => mail.subject.includes(subject))
    .map(({ isDraft, attachments }) => ({
      isDraft,
      attachments: attachments.map(({ name, size }) => ({ name, size })),
    }));
const puts = () =>
  bench.mail.control.log.list().filter(({ method, path }) => method === 'PUT' && path.includes('/attachmentSessions/'));

test('a file of 25 MB goes out by reference and comes back by reference, byte for byte', async () => {
  const bytes = bytesOf(25 * megabyte);
  const attachments = [await store('plan.zip', bytes), await store('note.zip', bytesOf(2 * megabyte))];
  const before = puts().length;

  const { messageId } = await send('send_email', {
    to: ['ben@sandbox.test'],
    subject: 'Large 1',
    body: 'x',
    attachments,
  });

  expect(outbox('Large 1')).toHaveLength(1);
  await expect
    .poll(() => kept('Large 1'))
    .toEqual([
      {
        isDraft: false,
        attachments: [
          { name: 'plan.zip', size: 25 * megabyte },
          { name: 'note.zip', size: 2 * megabyte },
        ],
      },
    ]);
  // 3.75 MB each. The sandbox answers 401 to a part that carries a credential.
  expect(
    puts()
      .slice(before)
      .map(({ status }) => status),
  ).toEqual([200, 200, 200, 200, 200, 200, 201]);
  const got = await bench.run('mail.get_attachment', { messageId, attachmentId: 'plan.zip' });
  expect(got).toMatchObject({ size: 25 * megabyte, contentType: 'application/zip' });
  expect(got).not.toHaveProperty('text');
  expect(hashOf(await contentOf(got.ref))).toBe(hashOf(bytes));
});

test('drafts, answers and forwards take large files too', async () => {
  const ref = await store('big.zip', bytesOf(3 * megabyte));
  const attachments = [{ ref, name: 'pic.zip', contentId: 'pic' }];
  const draft = await send('create_draft', { to: ['ben@sandbox.test'], subject: 'Large draft', attachments });
  await send('reply', { messageId: draft.messageId, body: 'y', attachments, asDraft: true });
  await send('forward', { messageId: draft.messageId, to: ['cy@sandbox.test'], attachments: [ref], asDraft: true });

  const found = kept('Large draft').map((mail) => mail.attachments.map(({ name }) => name));
  // The answer keeps the picture of the mail it answers.
  expect(found).toEqual([['pic.zip'], ['pic.zip', 'pic.zip'], ['pic.zip', 'big.zip']]);
});

test('what cannot be sent is refused before anything is written', async () => {
  const ref = await store('big.zip', bytesOf(3 * megabyte));
  const mail = { to: ['ben@sandbox.test'], subject: 'Large never', body: 'x', attachments: [ref] };

  await expect(send('send_email', { ...mail, mailbox: 'team@sandbox.test' })).rejects.toThrow(/smaller than 3 MB/);
  await expect(send('send_email', { ...mail, saveToSent: false })).rejects.toThrow(/too_large.*Sent Items/);
  expect([kept('Large never'), outbox('Large never')]).toEqual([[], []]);
});

describe('exactly one mail with exactly one attachment leaves', () => {
  const part = { method: 'PUT', path: '/api/v2.0/attachmentSessions/' };
  const opening = { method: 'POST', path: '/createUploadSession$' };
  const faults = [
    ['a part is refused for a moment', part, { kind: 'status', status: 503 }, 1],
    ['the line breaks before a part', part, { kind: 'reset' }, 1],
    ['the answer to a part gets lost', part, { kind: 'accept_then', status: 504 }, 1],
    ['the line breaks after a part', part, { kind: 'accept_then' }, 1],
    ['the service forgets the upload', part, { kind: 'status', status: 404 }, 1],
    ['the answer to every part gets lost', part, { kind: 'accept_then', status: 504 }, 2],
    ['the answer to the opening gets lost', opening, { kind: 'accept_then', status: 504 }, 1],
    ['the opening fails', opening, { kind: 'reset' }, 2],
  ] as const;
  test.each(faults)('although %s', async (name, match, fault, times) => {
    const subject = `Large ${name}`;
    const attachments = [await store('big.zip', bytesOf(4 * megabyte))];
    bench.mail.control.faults.add({ match, ...fault, times });

    await send('send_email', { to: ['ben@sandbox.test'], subject, body: 'x', attachments });

    expect(bench.mail.control.faults.list()).toEqual([]);
    expect(outbox(subject)).toHaveLength(1);
    await expect
      .poll(() => kept(subject))
      .toEqual([{ isDraft: false, attachments: [{ name: 'big.zip', size: 4 * megabyte }] }]);
  });

  test('although the answer to the last part gets lost', async () => {
    const subject = 'Large last';
    const attachments = [await store('big.zip', bytesOf(3 * megabyte))];
    bench.mail.control.faults.add({ match: part, kind: 'accept_then', times: 1 });

    await send('send_email', { to: ['ben@sandbox.test'], subject, body: 'x', attachments });

    expect(outbox(subject)).toHaveLength(1);
    await expect
      .poll(() => kept(subject))
      .toEqual([{ isDraft: false, attachments: [{ name: 'big.zip', size: 3 * megabyte }] }]);
  });

  test('not at all when the service refuses a part', async () => {
    const attachments = [await store('big.zip', bytesOf(3 * megabyte))];
    bench.mail.control.faults.add({ match: part, kind: 'status', status: 403 });

    const mail = { to: ['ben@sandbox.test'], subject: 'Large refused', body: 'x', attachments };
    await expect(send('send_email', mail)).rejects.toThrow(/refused the file .*403/);

    bench.mail.control.faults.clear();
    expect(outbox('Large refused')).toEqual([]);
    expect(kept('Large refused')).toEqual([{ isDraft: true, attachments: [] }]);
  });

  test.each([
    ['the first of several parts', 9 * megabyte, { kind: 'latency' }],
    ['the last part, which arrives', 3 * megabyte, { kind: 'accept_then' }],
    ['the last part, which does not', 3 * megabyte, { kind: 'latency' }],
  ] as const)('although the process ends during %s', async (name, size, fault) => {
    const subject = `Large ended ${name}`;
    const attachments = [await store('big.zip', bytesOf(size))];
    const accountId = await bench.connectMail();
    const other = await bench.startProcess('api', { intervals: { ...bench.config.intervals, drainMs: 1 } });
    bench.mail.control.faults.add({ match: part, ...fault, ms: 60_000, times: 1 });
    const input = { to: ['ben@sandbox.test'], subject, body: 'x', attachments };
    const answer = callerFor(other.origin)('POST', '/v1/steps/mail.send_email/run', {
      key: bootstrapKey,
      body: { accountId, permission: 'autopilot', input },
    }).catch(() => 'cut off');
    await expect.poll(() => bench.mail.control.faults.list(), { interval: 5 }).toEqual([]);

    await other.stop();

    await answer;
    await expect.poll(() => outbox(subject).length).toBe(1);
    await expect.poll(() => kept(subject)).toEqual([{ isDraft: false, attachments: [{ name: 'big.zip', size }] }]);
  });
});
