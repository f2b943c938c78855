import { describe, expect, test } from 'vitest';
import { misfitsOf } from './as-described.ts';

/* The workbench holds every answer that any test gets against the description; these hold the comparison itself. */

const at = '2026-11-02T09:00:00.000Z';
const event = {
  id: 'evt_1',
  triggerId: 'trg_1',
  upstreamId: 'x',
  outcome: 'failed',
  retry: { state: 'dead', attempts: 8, nextTryAt: null },
  occurredAt: at,
  receivedAt: at,
  delivery: 'live',
  summary: 'A mail',
};
const answered = (body: unknown, { status = 200, type = 'application/json' } = {}) => ({ status, type, body });
const list = (item: object) => misfitsOf('GET', '/v1/events?limit=1', answered({ items: [item] }));

test('an answer that is as described has nothing wrong with it', () => {
  expect(list(event)).toEqual([]);
  expect(misfitsOf('DELETE', '/v1/triggers/trg_1', answered('', { status: 204, type: '' }))).toEqual([]);
});

describe('an answer strays', () => {
  test.each([
    ['with a field that is not described', { ...event, secret: 'x' }, 'secret'],
    ['with one in the depth of it', { ...event, retry: { ...event.retry, why: 'x' } }, 'why'],
    ['without a field that is promised', { ...event, summary: undefined }, 'summary'],
    ['with null where nothing is said of it', { ...event, reason: null }, 'reason'],
    ['with a choice that there is not', { ...event, outcome: 'lost' }, 'outcome'],
    ['with a time that is none', { ...event, occurredAt: 'yesterday' }, 'date-time'],
  ])('%s', (_, item, told) => {
    const misfits = list(JSON.parse(JSON.stringify(item)));
    expect(misfits.join()).toContain(told);
  });

  test('with a field beside those of a schema that extends another', () => {
    const account = { id: 'acc_1', integration: 'mail', more: 1 };
    expect(misfitsOf('GET', '/v1/accounts/acc_1', answered(account)).join()).toContain('more');
  });

  test('with a status, a body or a type that is not described', () => {
    expect(misfitsOf('GET', '/v1/events', answered({ items: [] }, { status: 206 }))).toEqual(['206 is not described']);
    const gone = answered({ id: 'trg_1' }, { status: 204 });
    expect(misfitsOf('DELETE', '/v1/triggers/trg_1', gone)).toEqual(['204 has a body that is not described']);
    const page = answered('<html>', { type: 'text/html' });
    expect(misfitsOf('GET', '/v1/events', page)).toEqual(['200 comes as "text/html", which is not described']);
  });
});
