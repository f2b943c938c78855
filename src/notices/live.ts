import type { Clock, Intervals } from '#clock';
import type { Log } from '#log';
import type { Store } from '#store';
import { createLiveLook, type HintType, type Seen } from './live-look.ts';

/** Something has changed: whoever shows it reads it again. */
export type Hint = { type: HintType; id: string; status?: string };

/** Those who look at a workspace or a run right now. Nothing is looked at while nobody does. */
export type Live = {
  /** Calls `tell` once it knows what there is, without hints, and then with each change, until it is called off. */
  workspace(workspaceId: string, tell: (hints: readonly Hint[]) => void): () => void;
  /** Calls `tell` once it knows the run, and then whenever it has changed or is gone. */
  run(runId: string, tell: () => void): () => void;
  /** Raised when this process ends. */
  ending: AbortSignal;
  close(): void;
};

type ByName = ReadonlyMap<string, Seen>;

/** What is known of a workspace: what happens in it, and what people have set up. */
type Known = { newest: ByName; settings: ByName };

type Watched<Tell, Known> = { tells: Set<Tell>; fresh: Set<Tell>; known: Known | undefined };

const byName = (seen: readonly Seen[] = []): ByName => new Map(seen.map((each) => [`${each.type} ${each.id}`, each]));

/** What was open and is not seen any more has ended; what else is not seen has merely grown old. */
const changes = (before: ByName, now: ByName): Hint[] => [
  ...[...now]
    .filter(([name, { mark }]) => before.get(name)?.mark !== mark)
    .map(([, { type, id, status }]) => ({ type, id, ...(status === '' ? {} : { status }) })),
  ...[...before].filter(([name, { open }]) => open && !now.has(name)).map(([, { type, id }]) => ({ type, id })),
];

const atOnce = 100;
/** Settings are gone through, which takes longer the more there are: so they are looked at for this part of the time at most. */
const settingsShare = 1 / 20;
const longestPauseMs = 5_000;

/**
 * Notices changes by looking, whichever process made them, a few times a second and for all who listen at once. To be told
 * by whoever changes something would cost those who nobody listens to.
 */
export const createLive = (options: {
  store: Store;
  clock: Clock;
  intervals: Pick<Intervals, 'liveMs'>;
  log: Log;
}): Live => {
  const { store, clock, intervals, log } = options;
  const look = createLiveLook(store);
  const ending = new AbortController();
  const workspaces = new Map<string, Watched<(hints: readonly Hint[]) => void, Known>>();
  const runs = new Map<string, Watched<() => void, string>>();
  let looking = false;
  let settingsFrom = Number.NEGATIVE_INFINITY;

  /** Of all these, or of those alone about which nothing is known yet. */
  const lookAtSettings = async (ids: readonly string[], all: boolean): Promise<Map<string, ByName>> => {
    const asked = all ? ids : ids.filter((id) => workspaces.get(id)?.known === undefined);
    const begun = performance.now();
    const seen = Map.groupBy(await look.settings(asked), ({ workspace }) => workspace);
    const ended = performance.now();
    const pauseMs = Math.max(0, settingsFrom - ended) + (ended - begun) / settingsShare;
    settingsFrom = ended + Math.min(pauseMs, longestPauseMs);
    return new Map(asked.map((id) => [id, byName(seen.get(id))]));
  };

  const lookAtWorkspaces = async (ids: readonly string[], all: boolean): Promise<void> => {
    const settings = await lookAtSettings(ids, all);
    const seen = Map.groupBy(await look.workspaces(ids), ({ workspace }) => workspace);
    for (const id of ids) {
      const watched = workspaces.get(id);
      if (watched === undefined) continue;
      const { known } = watched;
      const setUp = settings.get(id) ?? known?.settings;
      // Who came only now is looked at next time.
      if (setUp === undefined) continue;
      const newest = byName(seen.get(id));
      const hints =
        known === undefined
          ? []
          : [
              ...changes(known.newest, newest),
              // They may be many, and were not looked at each time.
              ...(setUp === known.settings ? [] : changes(known.settings, setUp)),
            ];
      watched.known = { newest, settings: setUp };
      for (const tell of watched.tells) if (watched.fresh.delete(tell) || hints.length > 0) tell(hints);
    }
  };

  const lookAtRuns = async (ids: readonly string[]): Promise<void> => {
    const marks = new Map((await look.runs(ids)).map(({ id, mark }) => [id, mark]));
    for (const id of ids) {
      const watched = runs.get(id);
      if (watched === undefined) continue;
      const mark = marks.get(id) ?? 'gone';
      const changed = watched.known !== mark;
      watched.known = mark;
      for (const tell of watched.tells) if (watched.fresh.delete(tell) || changed) tell();
    }
  };

  const groupsOf = (ids: readonly string[]): string[][] =>
    Array.from({ length: Math.ceil(ids.length / atOnce) }, (_, at) => ids.slice(at * atOnce, (at + 1) * atOnce));

  const keepLooking = async (): Promise<void> => {
    while (!ending.signal.aborted && workspaces.size + runs.size > 0) {
      try {
        const all = performance.now() >= settingsFrom;
        for (const ids of groupsOf([...workspaces.keys()])) await lookAtWorkspaces(ids, all);
        for (const ids of groupsOf([...runs.keys()])) await lookAtRuns(ids);
      } catch (error) {
        log.warn({ err: error }, 'looking for changes failed; trying again');
      }
      await clock.sleep(intervals.liveMs, ending.signal);
    }
    looking = false;
  };

  const watch = <Tell, Known>(all: Map<string, Watched<Tell, Known>>, id: string, tell: Tell): (() => void) => {
    const watched = all.get(id) ?? { tells: new Set<Tell>(), fresh: new Set<Tell>(), known: undefined };
    watched.tells.add(tell);
    watched.fresh.add(tell);
    all.set(id, watched);
    if (!looking) {
      looking = true;
      void keepLooking();
    }
    return () => {
      watched.tells.delete(tell);
      watched.fresh.delete(tell);
      if (watched.tells.size === 0 && all.get(id) === watched) all.delete(id);
    };
  };

  return {
    workspace: (workspaceId, tell) => watch(workspaces, workspaceId, tell),
    run: (runId, tell) => watch(runs, runId, tell),
    ending: ending.signal,
    close: () => ending.abort(),
  };
};
