import type { Accounts, Caller, SigningSecretOf } from '#accounts';
import type { Clock, Intervals } from '#clock';
import type { Catalogue } from '#kit';
import type { Log } from '#log';
import type { Agents, CallOff, Starts } from '#runs';
import type { Store } from '#store';
import { createArrivals } from './arrivals.ts';
import { createAssess } from './assess.ts';
import { createDiagnosis, type Diagnose } from './diagnosis.ts';
import { createFirstLook } from './first-look.ts';
import { createUnlessGivenUp } from './given-up.ts';
import { createHistory, type History } from './history.ts';
import { createIntake, type Intake } from './intake.ts';
import { createLeaving, type Leaving } from './leaving.ts';
import { createLookAround } from './look-around.ts';
import { createLooks } from './looks.ts';
import { createOwn } from './own.ts';
import { createPreview, type PreviewTrigger } from './preview.ts';
import { answeredInTime } from './prompt-intake.ts';
import { createRegistrar } from './registrar.ts';
import { createRetries } from './retries.ts';
import { createRosters } from './rosters.ts';
import { createServiceTime } from './service-time.ts';
import { createSettle } from './settle.ts';
import { createSuspects } from './suspects.ts';
import { createTally } from './tally.ts';
import type { Telling } from './telling.ts';
import { createTending } from './tending.ts';
import { createToldAlready } from './told-already.ts';
import { createTriggers, type Triggers } from './triggers.ts';
import { createWatchers } from './watch-context.ts';
import { createWatchReader } from './watch-reader.ts';
import { createWatchRecords } from './watch-records.ts';

/** From what happens at the services to runs of agents: nothing lost, nothing twice, each with one outcome. */
export type Events = {
  intake: Intake;
  triggers: Triggers;
  history: History;
  preview: PreviewTrigger;
  diagnose: Diagnose;
  leaving: Leaving;
  stop(): Promise<void>;
};

export const createEvents = (options: {
  store: Store;
  clock: Clock;
  intervals: Intervals;
  log: Log;
  catalogue: Catalogue;
  accounts: Accounts;
  agents: Pick<Agents, 'holdFor' | 'get'>;
  callOff: CallOff;
  caller: Caller;
  signingSecretOf: SigningSecretOf;
  starts: Starts;
  telling: Telling;
  /** This process's name. */
  owner: string;
  callbackBase: URL | undefined;
  isReachedElsewhere: () => Promise<boolean>;
  /** Whether this process looks and registers, or only takes notifications in. */
  works: boolean;
}): Events => {
  const { store, clock, intervals, log, catalogue, accounts, caller, starts, owner, callbackBase, works } = options;
  const suspects = createSuspects();
  const reader = createWatchReader({ store, signingSecretOf: options.signingSecretOf });
  const records = createWatchRecords({ store, clock, intervals, log, owner, suspects });
  const rosters = createRosters({ store, catalogue, log });
  const serviceTime = createServiceTime(clock);
  const watchers = createWatchers({ catalogue, caller, clock, serviceTime });
  const own = createOwn({ store, catalogue });
  const assess = createAssess({
    rosters,
    own,
    clock,
    serviceTime,
    log,
    unlessGivenUp: createUnlessGivenUp(store),
  });
  const settle = createSettle({ store, starts, clock, intervals, telling: options.telling });
  const tally = createTally({ store, catalogue, log, everyMs: intervals.tickMs * 2 });
  const toldAlready = createToldAlready(store, rosters);
  const arrivals = createArrivals({
    ...{ store, intervals, log, reader, rosters, watchers, assess, settle, suspects, toldAlready },
  });
  const registrar = createRegistrar({
    ...{ reader, records, watchers, clock, intervals, log, callbackBase },
    isReachedElsewhere: options.isReachedElsewhere,
  });
  const looks = createLooks({
    store,
    clock,
    intervals,
    log,
    reader,
    records,
    rosters,
    watchers,
    registrar,
    assess,
    settle,
    arrivals,
    own,
    serviceTime,
    telling: options.telling,
    toldAlready,
  });
  const retries = createRetries({ store, intervals, log, reader, rosters, watchers, assess, settle, suspects });
  const poke = () => tending.poke();
  const lookAround = createLookAround({
    store,
    clock,
    intervals,
    log,
    catalogue,
    accounts,
    caller,
    records,
    poke,
  });
  const triggers = createTriggers({
    store,
    clock,
    catalogue,
    agents: options.agents,
    callOff: options.callOff,
    records,
    arrivals,
    firstLook: createFirstLook({ clock, log, records, looks, registrar }),
    lookAround,
    poke,
  });
  const tending = createTending({
    clock,
    intervals,
    log,
    reader,
    records,
    registrar,
    looks,
    arrivals,
    retries,
    lookAround,
    works,
  });

  return {
    intake: answeredInTime(
      createIntake({ store, clock, intervals, reader, watchers, assess, settle, arrivals, tally, poke }),
      clock,
    ),
    triggers,
    history: createHistory({ store, clock, catalogue, reader, rosters, watchers, assess, settle }),
    preview: createPreview({ store, clock, catalogue, accounts, agents: options.agents, watchers, own }),
    diagnose: createDiagnosis({ store, clock, catalogue, accounts }),
    leaving: createLeaving({ store, clock, callOff: options.callOff, log, reader, registrar }),
    stop: async () => {
      await tending.stop();
      await arrivals.idle();
      for (const each of [arrivals, retries, records]) each.close();
      await tally.close();
    },
  };
};
