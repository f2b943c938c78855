import { expect, test } from 'vitest';
import { type Fault, path, type StepContext, type Upstream } from '#kit';
import { readPages } from './api-paging.ts';
import { findAttached } from './attach.ts';
import { calendarPath } from './calendars.ts';
import { collect } from './collect.ts';
import { listFolders } from './folders.ts';
import { readLabels } from './labels.ts';
import { findMarked } from './marker.ts';
import { messageKey } from './messages.ts';
import { getAttachment } from './steps/get-attachment.ts';

const file = { id: 'last', name: 'b.pdf', displayName: 'b.pdf', size: 3, childFolderCount: 0 };
const pages = [['first'], [], ['last']];

/** A list of three pages, the second of them empty: the links count more than was told. */
const get = async (_: string, { query = {} }: Parameters<Upstream['get']>[1] = {}) => {
  const at = Number(query['$skip'] ?? 0) / 7;
  const value = (pages[at] ?? []).map((id) => ({
    ...file,
    id,
    ...(id === 'last' ? {} : { name: 'a', displayName: 'a' }),
  }));
  const link = `https://mail.example/v1.0/elsewhere?$skip=${(at + 1) * 7}`;
  return { value, ...(at + 1 < pages.length ? { '@odata.nextLink': link } : {}) };
};
const post = async () => ({ responses: [] });
const request = async () => ({ status: 404, headers: {}, body: null });
const upstream = { get, post, request } as unknown as Upstream;
const where = { upstream, mailbox: undefined };
const idsOf = (found: readonly { id: string }[]) => found.map(({ id }) => id);
const both = ['first', 'last'];

test.each<[string, () => Promise<unknown>, unknown]>([
  ['labels', async () => idsOf(await readLabels(upstream, undefined)), both],
  ['folders', async () => idsOf((await listFolders(where, { recursive: false, includeHidden: true })).folders), both],
  ['what was made with a mark', async () => findMarked(upstream, path`/me/messages`, 'm'), { made: [{}, {}] }],
  ['calendars', () => calendarPath(where, undefined, 'b.pdf'), '/me/calendars/last'],
  ['messages of an internet id', () => messageKey(where, '<x@y>').catch(({ code }) => code), 'invalid_input'],
  [
    'what an upload may have made',
    () => findAttached(upstream, path`/me/messages/1/attachments`, { name: 'b.pdf', contentBytes: 'YWJj' }),
    { made: [{ id: 'last' }] },
  ],
  [
    'attachments',
    () => getAttachment.run({ messageId: '1', attachmentId: 'none' }, where as unknown as StepContext).catch(detailsOf),
    { candidates: [{ id: 'first' }, { id: 'last' }] },
  ],
])('%s are read to the end of their list', async (_what, read, told) => {
  const found = await read();
  if (typeof told === 'object') expect(found).toMatchObject(told as object);
  else expect(found).toEqual(told);
});

test('a link that leads back to a page read before is not followed: nothing is told twice, nor a part as the whole', async () => {
  const back = { value: [file], '@odata.nextLink': 'https://mail.example/v1.0/elsewhere?%24top=2&%24filter=a' };
  let asked = 0;
  const turning = { ...upstream, get: async () => (asked += 1) && back } as Upstream;
  const sources = [{ path: path`/me/x`, query: { $filter: 'a', $top: 2 } }];
  const options = { limit: 9, maxPages: 9, keep: (entry: unknown) => entry };
  await expect(collect(turning, sources, options)).rejects.toMatchObject({ code: 'upstream_unavailable' });
  expect(asked).toBe(1);

  const from = { query: { $top: '2', $filter: 'a' }, given: 0 };
  const ask = async () => ({ status: 200, headers: {}, body: back });
  const read = await readPages(ask, from, { wanted: 90, maxBytes: 9_000 });
  expect(read).toMatchObject({ answer: { body: { value: [file] } }, next: { given: 0 } });
});

test('a list leads on only where more of it fits, or was not looked at', async () => {
  const read = async (wanted: string, limit: number) => {
    const keep = (entry: unknown) => (JSON.stringify(entry).includes(wanted) ? wanted : undefined);
    const { items, truncated } = await collect(upstream, [{ path: path`/me/x`, query: {} }], {
      limit,
      maxPages: 9,
      keep,
    });
    return [items.length, truncated];
  };
  expect([await read('first', 1), await read('id', 1), await read('id', 2)]).toEqual([
    [1, false],
    [1, true],
    [2, false],
  ]);
});

const detailsOf = (error: unknown) => (error as Fault).details;
