import { createHash } from 'node:crypto';
import { Fault, type Planned, type Reading, type SendView, type UpstreamRequest } from '#kit';
import { showing } from './showing.ts';

type Asked = { path: string; query?: Record<string, unknown> };

/** An account whose service holds exactly this, and what was read of it. */
export const holding = (stored: Record<string, unknown>, files: Record<string, string> = {}) => {
  const asked: Asked[] = [];
  const upstream = {
    get: async (path: string, { query }: { query?: Record<string, unknown> } = {}) => {
      asked.push({ path, ...(query === undefined ? {} : { query }) });
      const nothing = path.slice(0, -'/attachments'.length) in stored ? { value: [] } : undefined;
      const found = stored[path] ?? nothing;
      if (found === undefined) throw new Fault('not_found', 'There is no such thing.');
      if (found instanceof Error) throw found;
      return found;
    },
    download: async (path: string, { into }: { into: (chunk: Uint8Array) => Promise<void> }) => {
      asked.push({ path });
      await into(Buffer.from(files[path] ?? ''));
    },
  };
  const account = { id: 'acc_1', identity: { address: 'ada@sandbox.test' } };
  return { asked, reading: { upstream, account } as unknown as Reading };
};

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
export const base64 = (text: string) => Buffer.from(text).toString('base64');
export const person = (address: string, name?: string) => ({
  emailAddress: { address, ...(name === undefined ? {} : { name }) },
});
export const asking = (method: string, path: string, body?: unknown): Planned => ({
  request: { method, path, ...(body === undefined ? {} : { body }) } as unknown as UpstreamRequest,
});
export const seen = (planned: readonly Planned[], reading = holding({}).reading): Promise<SendView> =>
  showing.view(planned, reading);

export const nobody = { to: [], cc: [], bcc: [], replyTo: [], attachments: [], warnings: [] };

export const draft = '/me/messages/AA=';
export const stored = {
  id: 'AA=',
  subject: 'Question',
  from: person('ben@sandbox.test', 'Ben'),
  toRecipients: [person('Ada@sandbox.test', 'Ada'), person('cy@sandbox.test')],
  ccRecipients: [person('cy@sandbox.test'), person('dan@sandbox.test'), person('ben@sandbox.test')],
  body: { contentType: 'html', content: '<html><body class="x"><p>Do you?</p></body></html>' },
};

export const message = {
  subject: 'Offer',
  from: person('ada@sandbox.test'),
  toRecipients: [person('ben@sandbox.test', 'Ben')],
  ccRecipients: [person('cy@sandbox.test', '')],
  body: { contentType: 'HTML', content: '<p>12 pieces</p>' },
  attachments: [
    { name: 'a.txt', contentType: 'text/plain', contentBytes: base64('twelve') },
    { name: 'b.zip', size: 9 },
    { AttachmentItem: { name: 'c.zip', contentType: 'application/zip', size: 10 } },
    {},
  ],
  importance: 'high',
  flag: null,
  internetMessageHeaders: [],
};
