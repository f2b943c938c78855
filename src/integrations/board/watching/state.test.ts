import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Occurrence } from '#kit';
import { board } from '../index.ts';
import { type LabelSnapshot } from './label-differences.ts';
import { Action, occurrenceOf } from './occurrence.ts';
import { state } from './state.ts';

const beginning = Date.parse('2026-11-02T09:00:00.000Z');
const boardRef = { id: '6ae859bc5a0db0a2c4000009', name: 'Launch', shortLink: 'O5dYFdfy' };
const cardIds = ['6ae859bc5a0db0a2c4000011', '6ae859bc5a0db0a2c4000012'];
const labelIds = ['6ae859bc5a0db0a2c4000021', '6ae859bc5a0db0a2c4000022'];

/** A board with two cards and two labels, that notes each action and can be looked at. */
class Board {
  #now = beginning;
  #made = 0;
  readonly on = new Map<string, Set<string>>(cardIds.map((id) => [id, new Set<string>()]));
  readonly active = new Map<string, number>(cardIds.map((id) => [id, beginning]));
  #activity = beginning;

  toggle(card: string, label: string): Occurrence {
    this.#now += 1 + (this.#made % 3) * 400;
    this.#made += 1;
    const labels = this.on.get(card) ?? new Set();
    const adds = !labels.has(label);
    if (adds) labels.add(label);
    else labels.delete(label);
    this.on.set(card, labels);
    this.active.set(card, this.#now);
    this.#activity = this.#now;
    const second = Math.floor(this.#now / 1000).toString(16);
    return occurrenceOf(
      Action.parse({
        id: `${second}5a0db0a2c4${(0x100 + this.#made).toString(16).padStart(6, '0')}`,
        type: adds ? 'addLabelToCard' : 'removeLabelFromCard',
        date: new Date(this.#now).toISOString(),
        idMemberCreator: '6ae851105a0db0a2c4000001',
        data: { board: boardRef, card: { id: card, name: 'A card' }, label: { id: label, name: 'L', color: 'red' } },
      }),
    );
  }

  snapshot(): LabelSnapshot {
    const iso = (time = beginning): string => new Date(time).toISOString();
    return {
      kind: 'labels',
      board: boardRef,
      dateLastActivity: iso(this.#activity),
      labels: Object.fromEntries(labelIds.map((id) => [id, { name: 'L', color: 'red' }])),
      cards: [...this.on].map(([id, idLabels]) => ({
        id,
        name: 'A card',
        shortLink: 'aBcD1234',
        idLabels: [...idLabels],
        dateLastActivity: iso(this.active.get(id)),
      })),
      arrivals: {},
    };
  }
}

/** What a watch does with it: each key counts once, what is covered does not count. */
class Watch {
  #remembered: unknown;
  readonly told = new Map<string, Occurrence>();

  learn(snapshot: LabelSnapshot): void {
    const { state: next, occurrences } = state.diff(this.#remembered, snapshot);
    // Stored and read again, as the database does it.
    this.#remembered = JSON.parse(JSON.stringify(next));
    for (const each of occurrences) {
      expect(this.told.has(each.key)).toBe(false);
      this.told.set(each.key, each);
    }
  }

  hear(...occurrences: Occurrence[]): void {
    const { state: next, covered } = state.absorb(this.#remembered, occurrences);
    this.#remembered = JSON.parse(JSON.stringify(next));
    for (const each of occurrences) if (!covered.has(each.key)) this.told.set(each.key, each);
  }

  count(type: string, card: string, label: string): number {
    return [...this.told.values()].filter(({ body }) => {
      const { type: is, data } = body as { type: string; data: { card?: { id: string }; label: { id: string } } };
      return is === type && data.card?.id === card && data.label.id === label;
    }).length;
  }
}

type Fate = 'now' | 'late' | 'lost' | 'twice';
type Move = { card: number; label: number; fate: Fate } | 'look' | 'old look' | 'late mail';

const moves = (fates: Fate[]) =>
  fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.record({ card: fc.nat(1), label: fc.nat(1), fate: fc.constantFrom(...fates) }) },
      { weight: 2, arbitrary: fc.constantFrom<Move>('look', 'old look', 'late mail') },
    ),
    { maxLength: 40 },
  );

const play = (all: readonly Move[], order: readonly number[]) => {
  const world = new Board();
  const watch = new Watch();
  const actions: Occurrence[] = [];
  const late: Occurrence[] = [];
  const heard: Occurrence[] = [];
  const hear = (...occurrences: Occurrence[]): void => {
    heard.push(...occurrences);
    for (const each of occurrences) watch.hear(each);
  };
  let before = world.snapshot();
  watch.learn(before);
  for (const move of all) {
    if (move === 'look') watch.learn(world.snapshot());
    // Taken before what was notified since, and compared after it.
    else if (move === 'old look') watch.learn(before);
    else if (move === 'late mail') hear(...late.splice(0, 2));
    else {
      before = world.snapshot();
      const action = world.toggle(cardIds[move.card] ?? '', labelIds[move.label] ?? '');
      actions.push(action);
      if (move.fate === 'now') hear(action);
      if (move.fate === 'twice') hear(action, action);
      if (move.fate === 'late') late.splice((order[actions.length % order.length] ?? 0) % (late.length + 1), 0, action);
    }
  }
  watch.learn(world.snapshot());
  hear(...late, ...late);
  watch.learn(world.snapshot());
  return { world, watch, actions, heard };
};

const pairs = cardIds.flatMap((card) => labelIds.map((label) => [card, label] as const));
const types = ['addLabelToCard', 'removeLabelFromCard'];
const countOf = (all: readonly Occurrence[], type: string, card: string, label: string): number =>
  new Set(
    all
      .filter(({ body }) => {
        const { data, type: is } = Action.parse(body);
        return is === type && data.card?.id === card && (data['label'] as { id: string }).id === label;
      })
      .map(({ key }) => key),
  ).size;

describe('labels told from state', () => {
  test('however late, doubled and disordered notifications are, each change is told exactly once', () => {
    fc.assert(
      fc.property(moves(['now', 'late', 'twice']), fc.array(fc.nat(), { minLength: 1 }), (all, order) => {
        const { watch, actions } = play(all, order);
        for (const [card, label] of pairs) {
          for (const type of types) {
            expect(watch.count(type, card, label)).toBe(countOf(actions, type, card, label));
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test('where notifications are lost, nothing is told twice, and what can still be seen is told', () => {
    fc.assert(
      fc.property(moves(['now', 'late', 'lost', 'twice']), fc.array(fc.nat(), { minLength: 1 }), (all, order) => {
        const { world, watch, actions, heard } = play(all, order);
        for (const [card, label] of pairs) {
          const [added, removed] = types.map((type) => watch.count(type, card, label));
          for (const type of types) {
            expect(watch.count(type, card, label)).toBeLessThanOrEqual(countOf(actions, type, card, label));
            expect(watch.count(type, card, label)).toBeGreaterThanOrEqual(countOf(heard, type, card, label));
          }
          const isOn = world.on.get(card)?.has(label) ?? false;
          if (isOn) expect(added).toBeGreaterThan(0);
          if (isOn && heard.length === 0) expect((added ?? 0) - (removed ?? 0)).toBe(1);
        }
      }),
      { numRuns: 300 },
    );
  });
});

const look = (world: Board, change: Partial<LabelSnapshot>): LabelSnapshot => ({ ...world.snapshot(), ...change });
const typesOf = ({ occurrences }: { occurrences: readonly Occurrence[] }) =>
  occurrences.map(({ body }) => (body as { type: string }).type);

test('the first look only learns', () => {
  const world = new Board();
  world.toggle(cardIds[0] ?? '', labelIds[0] ?? '');
  expect(state.diff(undefined, world.snapshot()).occurrences).toEqual([]);
});

test('labels that are made, renamed and deleted are told, a deleted one without its cards', () => {
  const world = new Board();
  world.toggle(cardIds[0] ?? '', labelIds[0] ?? '');
  const first = state.diff(undefined, world.snapshot());
  const [one = '', two = ''] = labelIds;
  const labels = { [two]: { name: 'Other', color: 'red' }, '6ae859bc5a0db0a2c4000099': { name: 'New', color: null } };
  for (const set of world.on.values()) set.delete(one);
  const second = state.diff(first.state, look(world, { labels, dateLastActivity: '2026-11-02T10:00:00.000Z' }));
  expect(typesOf(second).toSorted()).toEqual(['createLabel', 'deleteLabel', 'updateLabel']);
  for (const { body } of second.occurrences) {
    const fires = board.triggers.some(
      (trigger) => trigger.kind === 'webhook' && trigger.delivery.safeParse(body).success,
    );
    expect(fires).toBe(true);
  }
});

test('a label that a card came with is no change; one that it got afterwards is', () => {
  const world = new Board();
  const { state: before } = state.diff(undefined, world.snapshot());
  const born = '2026-11-02T10:00:00.000Z';
  const id = `${Math.floor(Date.parse(born) / 1000).toString(16)}5a0db0a2c4000031`;
  const newcomer = { id, name: 'New', shortLink: 'nEwCaRd1', idLabels: [labelIds[0] ?? ''], dateLastActivity: born };
  const seen = (dateLastActivity: string, arrivals: Record<string, string>) => {
    const cards = [...world.snapshot().cards, { ...newcomer, dateLastActivity }];
    return typesOf(state.diff(before, look(world, { cards, dateLastActivity, arrivals })));
  };
  expect(seen(born, { [id]: born })).toEqual([]);
  expect(seen('2026-11-02T10:00:00.300Z', { [id]: born })).toEqual(['addLabelToCard']);
  // Its list came from another board, and nothing was done to it since.
  expect(seen('2026-11-02T08:00:00.000Z', {})).toEqual([]);
});

test('the labels that a copy has of its source are no change, whatever was done with it since; another one is', () => {
  const world = new Board();
  const [one = '', two = ''] = labelIds;
  const [source = ''] = cardIds;
  world.toggle(source, one);
  const { state: before } = state.diff(undefined, world.snapshot());
  const [born, renamed] = ['2026-11-02T10:00:00.000Z', '2026-11-02T10:00:09.000Z'];
  const id = `${Math.floor(Date.parse(born) / 1000).toString(16)}5a0db0a2c4000031`;
  const copy = { id, name: 'Copy', shortLink: 'cOpYcArD', idLabels: [one, two], dateLastActivity: renamed };
  const seen = look(world, {
    cards: [...world.snapshot().cards, copy],
    dateLastActivity: renamed,
    arrivals: { [id]: born },
    sources: { [id]: source },
  });
  const { occurrences } = state.diff(before, seen);
  expect(occurrences.map(({ key }) => key)).toEqual([expect.stringContaining(`addLabelToCard card ${id} ${two}`)]);
});

test('a card that comes back brings its labels along, also where it was moved on before anybody looked', () => {
  const world = new Board();
  const { state: before } = state.diff(undefined, world.snapshot());
  const back = '2026-11-02T10:00:00.000Z';
  const moved = '2026-11-02T10:01:00.000Z';
  const old = '6ad859bc5a0db0a2c4000031';
  const card = { id: old, name: 'Old', shortLink: 'oLdCaRd1', idLabels: [labelIds[0] ?? ''], dateLastActivity: moved };
  const seen = look(world, {
    cards: [...world.snapshot().cards, card],
    dateLastActivity: moved,
    arrivals: { [old]: back },
  });
  const { state: after, occurrences } = state.diff(before, seen);
  expect(occurrences).toEqual([]);
  const stripped = { ...card, idLabels: [], dateLastActivity: '2026-11-02T10:05:00.000Z' };
  const cards = [...world.snapshot().cards, stripped];
  const later = look(world, { cards, dateLastActivity: stripped.dateLastActivity, arrivals: {} });
  expect(typesOf(state.diff(after, later))).toEqual(['removeLabelFromCard']);
});

test('of boards that were there at the first look, those made lately are told: it may have been late', () => {
  const idOf = (time: string) => `${Math.floor(Date.parse(time) / 1000).toString(16)}5a0db0a2c4000031`;
  const [old, fresh] = [idOf('2026-11-01T10:00:00Z'), idOf('2026-11-02T10:00:00Z')];
  const boards = [old, fresh].map((id) => ({ id, name: 'B', shortLink: 'bOaRd123' }));
  const first = state.diff(undefined, { kind: 'boards', lately: '2026-11-02T00:00:00.000Z', boards });
  expect(first.occurrences.map(({ key }) => key)).toEqual([`board ${fresh}`]);
  const again = state.diff(first.state, { kind: 'boards', lately: '2026-11-02T00:00:00.000Z', boards });
  expect(again.occurrences).toEqual([]);
});

test('boards that others make are told once, under the key that their own action has', () => {
  const seen = (...ids: string[]) => ({
    kind: 'boards',
    lately: '2026-11-20T00:00:00.000Z',
    boards: ids.map((id) => ({ id, name: 'B', shortLink: 'bOaRd123' })),
  });
  const [a = '', b = ''] = cardIds;
  const first = state.diff(undefined, seen(a));
  expect(first.occurrences).toEqual([]);
  const second = state.diff(first.state, seen(a, b));
  expect(second.occurrences.map(({ key }) => key)).toEqual([`board ${b}`]);
  // Closed and opened again.
  const third = state.diff(second.state, seen(a));
  expect(state.diff(third.state, seen(a, b)).occurrences).toEqual([]);
});
