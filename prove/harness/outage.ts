import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { silentLog } from '#log';
import { findRunningPostgres, openStore } from '#store';
import { startFront } from './front.ts';
import { setOut, whyMissing } from './happenings.ts';
import { freePort, startProcess } from './processes.ts';
import { type ProofOptions, type Row, tiny } from './row.ts';
import { call, randomBetween, type Stage } from './stage.ts';
import { startTraffic } from './traffic.ts';

const allowed = {
  recoveryMs: 30_000,
  answerMs: 20_000,
  // Two seconds are promised; the rest is for a harness that holds the services on a busy machine.
  notificationMs: 5_000,
};

/** How storage goes away; it may be back when this ends, or come back by itself. It may ask whether a caller was told. */
export type Way = { name: string; act: (isTold: () => boolean) => Promise<void> };

const answers = async (address: string): Promise<boolean> => {
  const answer = await fetch(address).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.ok ?? false;
};

const watchHealth = (origins: readonly string[]) => {
  const seen = { away: 0, dead: 0 };
  let over = false;
  const watch = async (): Promise<void> => {
    while (!over) {
      for (const origin of origins) {
        if (!(await answers(`${origin}/healthz`))) seen.dead += 1;
        if (!(await answers(`${origin}/readyz`))) seen.away += 1;
      }
      await sleep(200);
    }
  };
  const watching = watch();
  return async () => {
    over = true;
    await watching;
    return seen;
  };
};

/** As usual means: it is ready and stores a row. */
const works = async (origin: string): Promise<boolean> => {
  if (!(await answers(`${origin}/readyz`))) return false;
  const probe = { name: 'probe', scopes: ['read'] };
  const answer = await call(origin, 'POST', '/v1/api-keys', probe).catch(() => undefined);
  return answer?.status === 201;
};

/** Now somebody looks, as it happens every few minutes. */
const lookNow = async (connectionString: string): Promise<void> => {
  const store = openStore({ connectionString, max: 1, log: silentLog });
  await sql`update watches set next_look_at = clock_timestamp()`.execute(store.system);
  await store.close();
};

/**
 * Takes storage away, time after time, while events, sends and API calls go on in two processes. The first keeps the
 * database under the stage's folder.
 */
export const storageOutages = async (
  set: Stage,
  ways: readonly Way[],
  options: { stops: number; showsInReadiness: boolean } & Pick<ProofOptions, 'progress' | 'scale'>,
): Promise<Omit<Row, 'guarantee'>> => {
  const { stops, showsInReadiness, progress } = options;
  const brief = options.scale <= tiny;
  const patience = brief ? 4 : 1;
  const front = await startFront();
  const ports = [await freePort(), ...(brief ? [] : [await freePort()])];
  // Nobody looks: only notifications that were taken start anything.
  const intervals = {
    lookMs: 3_600_000,
    ...(brief ? { writeDeadlineMs: 5_000, leaseMs: 5_000, retryMs: 500, tickMs: 200 } : {}),
  };
  const environment = { ...set.environment, PUBLIC_URL: front.origin, INTERVALS: JSON.stringify(intervals) };
  const first = await startProcess('start', { ...environment, PORT: String(ports[0]) });
  const address = (await findRunningPostgres(set.dataDir)) ?? '';
  const more = { ...environment, PORT: String(ports[1]), DATABASE_URL: address };
  const second = brief ? undefined : await startProcess('start', more);
  const origins = [first, second].flatMap((each) => each?.origin ?? []);
  front.use(ports);
  let worstRecoveryMs = 0;
  try {
    const { mailAccount } = await setOut(front.origin, set);
    const traffic = startTraffic({ set, origins, mailAccount, hurry: brief });
    const isTold = () => [...traffic.answers().keys()].some((code) => code.endsWith(' unavailable'));
    const endWatch = watchHealth(origins);
    for (let stop = 0; stop < stops; stop += 1) {
      await sleep(brief ? 500 : randomBetween(1_500, 4_000));
      const way = ways[stop % ways.length] ?? ways[0];
      await way?.act(isTold);
      const began = performance.now();
      while (
        !(await Promise.all(origins.map(works))).every(Boolean) &&
        performance.now() - began < 2 * patience * allowed.recoveryMs
      )
        await sleep(100);
      const tookMs = performance.now() - began;
      worstRecoveryMs = Math.max(worstRecoveryMs, tookMs);
      const back = `back after ${(tookMs / 1_000).toFixed(1)} s, ${traffic.ended()} requests have ended`;
      progress(`stop ${stop + 1} of ${stops} (${way?.name}): ${back}`);
    }
    await sleep(brief ? 500 : 2_000);
    await traffic.end();
    const seen = await endWatch();
    const unkept = () => traffic.missing().filter((name) => front.taken().has(name.split(' ')[1] ?? ''));
    const settled = async (left: () => readonly string[], ms: number): Promise<void> => {
      for (const until = performance.now() + ms; left().length > 0 && performance.now() < until; ) await sleep(500);
    };
    // What was refused is told again by the services after 30 s and more, but not for ever.
    if (!brief) await settled(traffic.missing, 45_000);
    await settled(unkept, brief ? 90_000 : 120_000);
    const lied = unkept();
    const looked = traffic.missing().length;
    await lookNow(address);
    await settled(traffic.missing, 60_000);
    // A second start would come by then.
    await sleep(brief ? 500 : 3_000);

    const counted = await traffic.count(first.origin);
    const given = [...traffic.answers()];
    const told = [...front.statuses()];
    progress(
      `${counted.events} events, ${looked} of them found by looking; ${counted.sends} sends, ${counted.rows} rows`,
    );
    progress(`requests: ${given.map(([code, count]) => `${code} ${count}`).join(', ')}`);
    progress(`notifications: ${told.map(([status, count]) => `${status} × ${count}`).join(', ')}`);
    const missing = traffic.missing();
    const why = await Promise.all(missing.map((name) => whyMissing(first.origin, name)));
    const strange = given.filter(
      ([code]) => !/ (?:done|gone|conflict|rate_limited|unavailable|outcome_unknown|upstream_unavailable)$/.test(code),
    );
    return {
      tried: counted.events + counted.sends + counted.rows,
      ...{ events: counted.events, sends: counted.sends, stops },
      ...{ lost: counted.lost, duplicated: counted.duplicated, unknown: counted.unknown, worstRecoveryMs },
      objections: [
        ...(lied.length > 0 ? [`${lied.length} were taken, but started nobody`] : []),
        ...why,
        ...counted.twice.map((name) => `happened twice: ${name}`),
        ...strange.map(([code, count]) => `${count} × an answer that tells nobody what to do: ${code}`),
        ...told
          .filter(([status]) => status !== 503 && (status >= 300 || status === 0))
          .map(([status, count]) => `${count} notifications were answered with ${status}`),
        ...(counted.untrue > 0 ? [`${counted.untrue} were told as not done but happened`] : []),
        ...(counted.unknownSends > Math.max(1, counted.sends / 100)
          ? [`${counted.unknownSends} of ${counted.sends} sends ended as unknown`]
          : []),
        ...(isTold() ? [] : ['nobody was told that storage is away']),
        ...(seen.away > 0 || !showsInReadiness ? [] : ['readiness never told that storage was away']),
        ...(seen.dead > 0 ? ['a process did not answer that it lives'] : []),
        ...(worstRecoveryMs > patience * allowed.recoveryMs ? [`recovery took ${Math.round(worstRecoveryMs)} ms`] : []),
        ...(traffic.slowestMs() > patience * allowed.answerMs
          ? [`an answer took ${Math.round(traffic.slowestMs())} ms`]
          : []),
        ...(front.slowestMs() > patience * allowed.notificationMs
          ? [`a notification took ${Math.round(front.slowestMs())} ms`]
          : []),
      ],
    };
  } finally {
    await second?.stop();
    // What an orderly end writes to the disk takes longer than all the rest.
    await (brief ? first.killTree(set.dataDir) : first.stop());
    front.close();
  }
};
