import { setTimeout as sleep } from 'node:timers/promises';
import { startFront } from '../harness/front.ts';
import { setOut, whyMissing } from '../harness/happenings.ts';
import { freePort, type Running, startProcess } from '../harness/processes.ts';
import { type Proof, tiny } from '../harness/row.ts';
import { stage } from '../harness/stage.ts';
import { startTraffic } from '../harness/traffic.ts';

// The service repeats what it could not deliver after 30, 60 and 120 s.
const patienceMs = 220_000;
// What is under way is finished, and no more than that.
const allowedMs = 25_000;

type Member = { command: 'api' | 'worker'; port: number; running: Running };

/**
 * A deployment with two of each kind is renewed one process at a time, as an operator does it: taken out of rotation, asked
 * to stop, started anew. Callers and services ask the front alone, and nobody looks for what was missed.
 */
export const rolling: Proof = {
  name: 'rolling',
  about: 'processes are renewed one after the other under load: no request fails, no event is lost or starts twice',
  run: async ({ scale, progress, database: given }) => {
    await using set = await stage({ database: given });
    const database = await set.sharedDatabase();
    const front = await startFront();
    const environment = {
      ...set.environment,
      DATABASE_URL: database.connectionString,
      PUBLIC_URL: front.origin,
      INTERVALS: '{"lookMs":3600000}',
    };
    const start = (command: Member['command'], port: number): Promise<Running> =>
      startProcess(command, { ...environment, PORT: String(port) });
    const kinds: Member['command'][] = scale <= tiny ? ['api', 'api', 'worker'] : ['api', 'api', 'worker', 'worker'];
    const members: Member[] = [];
    for (const command of kinds) {
      const port = await freePort();
      members.push({ command, port, running: await start(command, port) });
    }
    const inRotation = (without?: Member) =>
      front.use(members.filter((each) => each.command === 'api' && each !== without).map(({ port }) => port));
    inRotation();
    let renewed = 0;
    let worstRecoveryMs = 0;
    const unclean: string[] = [];
    const renew = async (member: Member): Promise<void> => {
      inRotation(member);
      const began = performance.now();
      await member.running.stop();
      const tookMs = performance.now() - began;
      worstRecoveryMs = Math.max(worstRecoveryMs, tookMs);
      const { exitCode, signalCode } = member.running.child;
      if (exitCode !== 0) unclean.push(`${member.command} ended with ${exitCode ?? signalCode}`);
      member.running = await start(member.command, member.port);
      inRotation();
      renewed += 1;
      progress(`${renewed} renewed (${member.command}), it stopped within ${(tookMs / 1_000).toFixed(1)} s`);
    };
    try {
      const { mailAccount } = await setOut(front.origin, set);
      const traffic = startTraffic({ set, origins: [front.origin], mailAccount, hurry: scale <= tiny });
      // More would spend what a mailbox allows within ten minutes.
      const rounds = Math.max(1, Math.round(5 * scale));
      for (let round = 0; round < rounds; round += 1) {
        for (const member of members) {
          await sleep(1_000);
          await renew(member);
        }
      }
      await traffic.end();
      progress(`${traffic.missing().length} of ${traffic.expected().length} have not started yet`);
      const until = performance.now() + patienceMs;
      while (traffic.missing().length > 0 && performance.now() < until) await sleep(250);
      // A second start would come by then.
      await sleep(scale <= tiny ? 500 : 3_000);
      const counted = await traffic.count(front.origin);
      progress(`${counted.events} events, ${counted.sends} sends, ${counted.rows} rows`);
      const missing = traffic.missing().slice(0, 5);
      const why = await Promise.all(missing.map((name) => whyMissing(front.origin, name)));
      const failed = [...traffic.answers()].filter(([code]) => !/ (?:done|rate_limited)$/.test(code));
      const refused = [...front.statuses()].filter(([status]) => status < 200 || status >= 300);
      return {
        guarantee: `${renewed} processes renewed one after the other under load`,
        tried: counted.events + counted.sends + counted.rows,
        ...{ events: counted.events, sends: counted.sends },
        ...{ lost: counted.lost, duplicated: counted.duplicated, unknown: counted.unknown, worstRecoveryMs },
        objections: [
          ...why,
          ...counted.gone.slice(0, 10).map((name) => `told as done, but not there: ${name}`),
          ...failed.map(([code, count]) => `${count} requests ended so: ${code}`),
          ...refused.map(([status, count]) => `${count} notifications were answered with ${status}`),
          ...counted.twice.map((name) => `happened twice: ${name}`),
          ...unclean,
          ...(scale > tiny && worstRecoveryMs > allowedMs ? [`a stop took ${Math.round(worstRecoveryMs)} ms`] : []),
        ],
      };
    } finally {
      for (const { running } of members) await running.stop();
      front.close();
      await database.stop();
    }
  },
};
