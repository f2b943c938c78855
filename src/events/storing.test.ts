import { expect, test } from 'vitest';
import { candidateOf, told } from './settling.fixture.ts';
import type { Candidate, Written } from './settling.ts';
import { createStoring } from './storing.ts';

const numbered = (n: number, rest: object = {}) =>
  candidateOf(
    JSON.stringify({ ...told, id: `evt_${n}`, run_id: `run_${n}`, lane: `lane ${n}`, account_seen: '1', ...rest }),
  );

type Answer = () => object[];
/** The answers of the database, by the name of what it is asked. */
const storingWith = (answers: Record<string, Answer>) => {
  const asked: [name: string, first: unknown][] = [];
  const store = createStoring({
    store: {
      planned: async <Row>({ name }: { name: string }, [first]: readonly unknown[]) => {
        asked.push([name, first]);
        return (answers[name]?.() ?? []) as Row[];
      },
    },
    starts: { terms: () => ({ taker: 'me', room: 9, seconds: 60 }) },
    valuesOf: (candidates) => [candidates.map(({ event }) => event.id)],
  });
  const told: (readonly Written[])[] = [];
  return { asked, told, store: (candidates: Candidate[]) => store(candidates, (rows) => void told.push(rows)) };
};
const at = new Date();
const ids = (rows: readonly Written[] | undefined) => rows?.map(({ event_id }) => event_id);

test('what the short statement leaves is stored by the one for all cases, whose places are those of all that came', async () => {
  const {
    asked,
    told: stored,
    store,
  } = storingWith({
    settle_fired: () => [{ id: 'evt_2', taken: true, intended_at: at }],
    settle_events: () => [
      { place: 1, event_id: null, run_id: null },
      { place: null, event_id: 'evt_1', run_id: 'run_1' },
    ],
  });
  const written = await store([numbered(1), numbered(2), numbered(3)]);
  expect(asked).toEqual([
    ['settle_fired', ['evt_1', 'evt_2', 'evt_3'].join('\x1f')],
    ['settle_events', ['evt_1', 'evt_3']],
  ]);
  expect(written.map(({ place, event_id }) => place ?? event_id)).toEqual(['evt_2', 2, 'evt_1']);
  expect(stored.flat()).toEqual(written);
});

test('one that comes alone among others of another kind has the statement for one', async () => {
  const { asked, store } = storingWith({ settle_alone: () => [{ stored: true, taken: true, intended_at: at }] });
  await store([numbered(1, { suspect: true }), numbered(2)]);
  expect(asked).toEqual([
    ['settle_alone', 'evt_2'],
    ['settle_events', ['evt_1']],
  ]);
});

test('what is stored goes on although the next statement fails', async () => {
  const away = new Error('the database is away');
  const { told: stored, store } = storingWith({
    settle_alone: () => [{ stored: true, taken: true, intended_at: at }],
    settle_events: () => {
      throw away;
    },
  });
  await expect(store([numbered(1), numbered(2, { suspect: true })])).rejects.toBe(away);
  expect(stored.map(ids)).toEqual([['evt_1']]);
});

test('nothing more is asked where all is stored', async () => {
  const { asked, store } = storingWith({
    settle_fired: () => ['evt_1', 'evt_2'].map((id) => ({ id, taken: true, intended_at: at })),
  });
  expect(ids(await store([numbered(1), numbered(2)]))).toEqual(['evt_1', 'evt_2']);
  expect(asked.map(([name]) => name)).toEqual(['settle_fired']);
});
