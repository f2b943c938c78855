import { describe, expect, test } from 'vitest';
import type { Notification } from '#kit';
import { receive } from './receive.ts';

const proof = {
  url: 'https://switchboard.example/hooks/1',
  signingSecret: undefined,
  isOurSecret: (shown: string) => shown === 'ours',
};
const post = (body: unknown, query = ''): Notification => ({
  method: 'POST',
  headers: {},
  query: new URLSearchParams(query),
  bytes: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
});
const item = (more: object = {}) => ({
  subscriptionId: '1',
  changeType: 'created',
  resource: 'Users/1/Messages/AAk1',
  resourceData: { '@odata.type': '#Microsoft.Graph.Message', id: 'AAk1' },
  clientState: 'ours',
  tenantId: '2',
  ...more,
});
const got = (...items: unknown[]) => receive(post({ value: items }), proof);

describe('the handshake', () => {
  test('repeats the decoded text', () => {
    const token = 'Validation: Testing client application reachability for subscription Request-Id: 1+2&3';
    expect(receive(post('', `validationToken=${encodeURIComponent(token)}`), proof)).toEqual({
      answer: { status: 200, body: token },
    });
  });

  test.each([
    ['an endless text', 'a'.repeat(2_001)],
    ['no text', ''],
    ['control characters', 'a\r\nset-cookie: b'],
  ])('refuses %s', (_, token) => {
    const answer = receive(post('', `validationToken=${encodeURIComponent(token)}`), proof);
    expect(answer).toEqual({ answer: { status: 400, body: undefined } });
  });
});

describe('a notification', () => {
  test('gives the ids of messages as hints, each once', () => {
    const other = item({ resourceData: { id: 'AAk2' } });
    expect(got(item(), item({ changeType: 'updated' }), other)).toEqual({
      occurrences: [],
      hints: ['AAk1', 'AAk2'],
      notices: [],
    });
  });

  test('names its message in the resource where there are no data', () => {
    expect(got(item({ resourceData: undefined }))).toMatchObject({ hints: ['AAk1'] });
    expect(got(item({ resourceData: null, resource: "Users('1')/Messages('AAk7')" }))).toMatchObject({
      hints: ['AAk7'],
    });
  });

  test('with our secret but without a message means that we should look', () => {
    expect(got(item({ resourceData: undefined, resource: 'Users/1' }))).toMatchObject({
      hints: [],
      notices: ['missed'],
    });
    expect(got(item({ resourceData: { id: '../../etc' } }))).toMatchObject({ hints: [], notices: ['missed'] });
  });

  test('of a deletion is nothing to tell about', () => {
    expect(got(item({ changeType: 'deleted' }))).toEqual({ occurrences: [], hints: [], notices: [] });
  });

  test('counts item by item: forged ones are left out', () => {
    const forged = item({ clientState: 'theirs', resourceData: { id: 'AAkForged' } });
    expect(got(forged, item(), item({ clientState: undefined }))).toMatchObject({ hints: ['AAk1'] });
  });

  test.each([
    ['a wrong secret', [item({ clientState: 'theirs' })]],
    ['no secret', [item({ clientState: undefined })]],
    ['a secret of another type', [item({ clientState: { $ne: '' } })]],
    ['null for a secret', [item({ clientState: null })]],
    ['no items', []],
    ['items that are no objects', ['ours', 1, null]],
  ])('with %s is refused', (_, items) => {
    expect(got(...items)).toEqual({ answer: { status: 401, body: undefined } });
  });

  test.each([['not JSON'], ['"text"'], ['{}'], ['{"value":{}}'], ['[]'], ['']])(
    'of the form %s is malformed',
    (body) => {
      expect(receive(post(body), proof)).toEqual({ answer: { status: 400, body: undefined } });
    },
  );

  test('that is not UTF-8 is malformed', () => {
    expect(receive({ ...post(''), bytes: Uint8Array.of(0xff, 0xfe) }, proof)).toMatchObject({
      answer: { status: 400 },
    });
  });

  test.each(['GET', 'HEAD'] as const)('does not come by %s', (method) => {
    expect(receive({ ...post({ value: [item()] }), method }, proof)).toMatchObject({ answer: { status: 405 } });
  });
});

test.each([
  ['reauthorizationRequired', 'renew'],
  ['subscriptionRemoved', 'removed'],
  ['missed', 'missed'],
  ['somethingNew', 'missed'],
])('the lifecycle event %s means %s', (lifecycleEvent, notice) => {
  const event = item({ lifecycleEvent, changeType: undefined, resource: 'me/messages', resourceData: undefined });
  expect(got(event)).toEqual({ occurrences: [], hints: [], notices: [notice] });
  expect(got({ ...event, clientState: 'theirs' })).toMatchObject({ answer: { status: 401 } });
});
