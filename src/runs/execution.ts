import type { Chosen } from '#accounts';
import type { Clock } from '#clock';
import { AwaitApproval, type CallRecord, type Intended, type NewIntent, RunCancelled } from '#effects';
import { detailsOf, Fault } from '#kit';
import type { Log } from '#log';
import { stopped } from '#workspaces';
import type { Seats } from './agents/seats.ts';
import { readsMore } from './autopilot.ts';
import type { Cancelling } from './cancelling.ts';
import { createGate, type Gate } from './gate.ts';
import { type JournalEntry, type NewEntry, started } from './journal.ts';
import type { Lanes } from './lanes.ts';
import { endOfLapsed, mayLook } from './lapses.ts';
import type { Cancelled, Leases } from './leases.ts';
import { putOffBy, waits } from './patience.ts';
import type { Performed } from './perform.ts';
import { Resting } from './resting.ts';
import type { RunEnd } from './run-end.ts';
import type { RunRecords, RunRow } from './run-records.ts';
import { storedFault } from './stored-fault.ts';

/** A run under way here, and whether the database knows it yet. */
export type Live = {
  run: RunRow;
  begun: boolean;
  beginning?: Promise<boolean>;
  /** Whom a step runs as, when it was just chosen. */
  account?: Chosen;
  /** The service that is asked at present. */
  asks?: string;
  /** Whether it has read something besides what started it. */
  hasRead?: boolean;
  /** Whether it has done something in this execution that need not be done again. */
  hasProgressed?: boolean;
  /** Raised when it is to stop; what it throws ends the run. Looked at between steps and while a model thinks. */
  cancelled?: Cancelled;
  /** Why it ends as soon as it is known what became of what it began: nothing more is done. */
  ends?: Fault;
  /** What its calls came to, for whoever waits for one. */
  told?: Map<number, Performed | Fault>;
  /** Of a run that is prepared before it is stored: where it waits for that. */
  gate?: Gate;
};

/** What a run has done so far: written down when it ends, or before something that must find it. */
export type Logbook = {
  /** How many entries are stored already, by an earlier execution too. */
  stored: number;
  entries: NewEntry[];
  /** What an earlier execution stored. */
  earlier(): Promise<JournalEntry[]>;
  note(kind: string, data: Record<string, unknown>): void;
  /**
   * Stores the run and what it has done. Until then nothing may be written outside. Answers when the first write was
   * intended, where that was stored with the run.
   */
  begin(first?: NewIntent): Promise<Intended | undefined>;
};

/** What a run does, apart from being begun, ended and resumed. */
export type Program = (live: Live, logbook: Logbook) => Promise<Performed>;

/** What a run came to: its end, a person who must decide first, or a rest until somebody calls back. */
export type Executed = Performed | { approvalId: string } | { rests: true };

/** A run that was carried out as far as it goes before it is stored. */
export type Prepared = {
  run: RunRow;
  /** What it will write first. */
  first: NewIntent | undefined;
  /** It is stored, and leased by this process: it goes on. */
  launch(intended: Intended | undefined): void;
  /** It is not stored, or not as it was prepared. Nothing happens when it goes on already. */
  drop(): void;
};

export type Execution = {
  /** Carries a run out to its end, or to where it waits. How it ended is in the run itself and in what this answers or throws. */
  execute(live: Live): Promise<Executed>;
  /** Carries out a run whose lease this process holds, with nobody waiting for it. */
  launch(run: RunRow): void;
  /** Begins a run that is about to be stored. */
  prepare(run: RunRow): Promise<Prepared>;
};

const callsIn = ({ calls }: Record<string, unknown>) => (Array.isArray(calls) ? (calls as CallRecord[]) : []);

/** What is done once and for all: whoever resumes the run goes on after it. */
const isProgress = ({ kind, data }: Pick<NewEntry, 'kind' | 'data'>): boolean =>
  kind === 'turn' || kind === 'tool' || (kind === 'step' && 'output' in data);

/** What the caller of a run that waits is told: repeating it would do it twice. */
const goesOn = ({ code, message, details, retryAfterMs }: Fault, runId: string): Fault =>
  new Fault(
    code,
    details?.['stopped'] === true
      ? message
      : 'This was interrupted on our side. The run goes on by itself: look at it instead of repeating it.',
    { details: { ...details, runId }, retryAfterMs },
  );

/** A failure as its caller is told of it: what came of the run, and what it did before, is found by its id. */
const ofRun = (fault: Fault, runId: string): Fault => {
  const { code, message, retryAfterMs, cause } = fault;
  return new Fault(code, message, { details: { ...detailsOf(fault), runId }, retryAfterMs, cause });
};

/** What a run does, and what it notes. */
type Begun = { logbook: Logbook; performing: () => Promise<Performed> };

/** Says nothing about the run itself, and is told to no model: whoever has it now ends it. */
class TakenOver extends Fault {
  constructor({ id: runId }: RunRow) {
    super('unavailable', 'This run goes on by itself: look at it instead of repeating it.', { details: { runId } });
  }
}

export const createExecution = (options: {
  records: RunRecords;
  lanes: Lanes;
  leases: Leases;
  cancelling: Pick<Cancelling, 'isAsked' | 'isOpen' | 'isInDoubt' | 'reasonOf'>;
  /** Ends as unknown what a run began and nobody will look for. */
  giveUp(run: RunRow): Promise<unknown>;
  seats: Seats;
  programOf: (run: RunRow) => Program;
  clock: Clock;
  log: Log;
  storageFault: (error: unknown) => Fault | undefined;
}): Execution => {
  const { records, lanes, leases, cancelling, giveUp, seats, programOf, clock, log, storageFault } = options;

  const toFault = (error: unknown, runId: string): Fault => {
    if (error instanceof Fault) return error;
    const known = storageFault(error);
    if (known !== undefined) return known;
    log.error({ err: error, runId }, 'a run met a defect');
    return new Fault('internal', `Something went wrong on our side; quote ${runId}.`, { cause: error });
  };

  const logbookOf = (live: Live): Logbook => {
    const { run } = live;
    const logbook: Logbook = {
      stored: 0,
      entries: [],
      earlier: async () => {
        const earlier = run.attempts > 1 ? await records.journal(run) : [];
        logbook.stored = earlier.length;
        live.hasRead ||= earlier.some(({ data }) => readsMore(run, callsIn(data)));
        // The others' beginning is stored when they are begun.
        if (run.agent_id !== null && earlier.length === 0) logbook.entries.push(started(run));
        return earlier;
      },
      note: (kind, data) => {
        live.hasProgressed ||= isProgress({ kind, data });
        logbook.entries.push({ at: clock.now(), kind, data });
      },
      begin: async (first) => {
        const intended = await live.gate?.pass(first);
        // Two writes at once begin it together.
        live.beginning ??= live.begun ? Promise.resolve(true) : records.begin(run, leases.owner);
        if (!(await live.beginning)) throw stopped();
        live.begun = true;
        await store();
        return intended;
      },
    };
    /**
     * A run of a single step has done nothing yet when it first writes, and nothing afterwards but that. That a run has
     * started is in the run itself.
     */
    const store = async (): Promise<void> => {
      if (run.step_id !== null || logbook.entries.every(({ kind }) => kind === 'started')) return;
      const entries = logbook.entries.splice(0);
      if (!(await records.append(run, leases.owner, entries))) throw new TakenOver(run);
      logbook.stored += entries.length;
      if (run.lapses > 0 && entries.length > 0) await leases.forgive([run.id]);
    };
    return logbook;
  };

  /** Writes down how a run ended; false when another process took it over meanwhile. */
  const end = async ({ run, begun }: Live, how: RunEnd, { entries, stored }: Logbook): Promise<boolean> => {
    if (run.agent_id !== null) return lanes.finish(run, how, entries, stored);
    if (begun) return records.finish(run, leases.owner, how, entries);
    await records.complete(run, how, entries);
    return true;
  };

  const fail = async (live: Live, fault: Fault, logbook: Logbook): Promise<void> => {
    const error = storedFault(fault);
    logbook.note('failed', { error });
    await end(live, { error }, logbook);
  };

  const putOff = async ({ run, hasProgressed = false, asks }: Live, fault: Fault, logbook: Logbook): Promise<void> => {
    const { delayMs, ...how } = putOffBy(fault, run, hasProgressed, asks);
    try {
      if (run.step_id === null) await logbook.begin();
      leases.letsGo(run.id);
      const orphan = { runId: run.id, workspaceId: run.workspace_id };
      await leases.giveBack(orphan, delayMs, { ...how, onlyLooks: run.cancel_asked !== null });
    } catch (cause) {
      // Then the lease runs out by itself.
      log.warn({ err: cause, runId: run.id }, 'a run could not be given back');
    }
  };

  /** Ends a run that somebody asked to stop. */
  const cancel = async (live: Live, logbook: Logbook): Promise<Fault> => {
    const { run } = live;
    const reason = await cancelling.reasonOf(run);
    logbook.note('cancelled', { error: reason });
    if (!(await end(live, { cancelled: reason }, logbook))) return new TakenOver(run);
    return new Fault(reason.code as Fault['code'], reason.message, { details: { runId: run.id, status: 'cancelled' } });
  };

  /** Gives the run up until somebody has decided: nothing is held meanwhile. */
  const wait = async ({ run, begun }: Live, { asked }: AwaitApproval, { entries }: Logbook) => {
    leases.letsGo(run.id);
    const waits = await records.park(run, begun, leases.owner, asked, entries);
    if (waits === 'stopped') throw stopped();
    if (waits === 'cancelled') throw new RunCancelled();
    if (waits === undefined) throw new TakenOver(run);
    return waits;
  };

  const rest = async ({ run }: Live, resting: Resting, { entries }: Logbook) => {
    leases.letsGo(run.id);
    if (!(await resting.rest(entries))) throw new TakenOver(run);
    await resting.after?.();
    return { rests: true as const };
  };

  const begin = (live: Live): Begun => {
    const logbook = logbookOf(live);
    return { logbook, performing: () => programOf(live.run)(live, logbook) };
  };

  /** As any other failure, once nothing is left open. */
  const failLapsed = async (live: Live, ends: Fault, logbook: Logbook): Promise<Fault> => {
    const { run } = live;
    await giveUp(run);
    const doubt = 'What it had begun may have happened: look before it is repeated.';
    const fault = (await cancelling.isInDoubt(run))
      ? new Fault('outcome_unknown', `${ends.message} ${doubt}`, { details: { ...ends.details } })
      : ends;
    log.error({ runId: run.id, lapses: run.lapses }, 'a run is carried out no more: its processes died');
    await fail(live, fault, logbook);
    return ofRun(fault, run.id);
  };

  const carryOut = async (live: Live, cancelled: Cancelled, { logbook, performing }: Begun): Promise<Executed> => {
    const { run } = live;
    live.cancelled = cancelled;
    try {
      // What it wrote before may be in doubt: then it goes on until that is known.
      if (run.cancel_asked !== null && !(await cancelling.isOpen(run))) throw new RunCancelled();
      const ends = endOfLapsed(run);
      if (ends !== undefined) live.ends = ends;
      if (ends !== undefined && !(mayLook(run) && (await cancelling.isOpen(run)))) throw ends;
      const result = await performing().catch((error: unknown): Promise<Executed> => {
        if (error instanceof AwaitApproval) return wait(live, error, logbook);
        if (error instanceof Resting) return rest(live, error, logbook);
        throw error;
      });
      if ('approvalId' in result || 'rests' in result) return result;
      logbook.note('finished', {});
      if (await end(live, result, logbook)) return result;
      throw new TakenOver(run);
    } catch (error) {
      if (error instanceof RunCancelled) throw await cancel(live, logbook);
      if (error instanceof TakenOver) throw error;
      const fault = toFault(error, run.id);
      // Whoever cancels it takes back what was approved, of which it may hear before it hears of that.
      if (fault.code === 'approval_denied' && (await cancelling.isAsked(run))) throw await cancel(live, logbook);
      if (waits(fault, run)) {
        if (!live.begun) throw fault;
        await putOff(live, fault, logbook);
        throw goesOn(fault, run.id);
      }
      if (live.ends !== undefined) throw await failLapsed(live, live.ends, logbook);
      await fail(live, fault, logbook);
      throw ofRun(fault, run.id);
    }
  };

  /** Of an agent that may not do everything at once, a run waits for a free place first. */
  const executeSeated: Execution['execute'] = async (live) => {
    const { run } = live;
    let seated: boolean | undefined;
    try {
      return await leases.holding(run, async (cancelled) => {
        seated = await seats.take(run).catch((error: unknown) => {
          throw toFault(error, run.id);
        });
        if (seated === false) throw new Fault('unavailable', 'This run waits until its agent has a place for it.');
        return carryOut(live, cancelled, begin(live));
      });
    } finally {
      // Whoever is not called now is found after a while.
      if (seated === true)
        await seats.callNext(run).catch((error: unknown) => log.warn({ err: error }, 'nobody was called'));
    }
  };

  const execute: Execution['execute'] = (live) =>
    live.run.agent_id === null
      ? leases.holding(live.run, (cancelled) => carryOut(live, cancelled, begin(live)))
      : executeSeated(live);

  /** With nobody waiting for it. */
  const alone = ({ id: runId }: RunRow, executing: Promise<Executed>): void => {
    executing.catch((error: unknown) => {
      // How it ended is in the run itself.
      if (!(error instanceof Fault)) log.error({ err: error, runId }, 'a run could not be ended');
    });
  };

  return {
    execute,
    launch: (run) => alone(run, execute({ run, begun: true })),
    prepare: async (run) => {
      const gate = createGate();
      const live: Live = { run, begun: true, gate };
      const { logbook, performing } = begin(live);
      const performed = performing();
      performed.catch(() => {}).finally(gate.ended);
      return {
        run,
        first: await gate.first,
        launch: (intended) => {
          gate.open(intended);
          const begun = { logbook, performing: () => performed };
          alone(
            run,
            leases.holding(run, (cancelled) => carryOut(live, cancelled, begun)),
          );
        },
        drop: gate.close,
      };
    },
  };
};
