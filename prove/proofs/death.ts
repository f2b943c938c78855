import { setTimeout as sleep } from 'node:timers/promises';
import { setOut } from '../harness/happenings.ts';
import { startProcess } from '../harness/processes.ts';
import { type Proof, tiny } from '../harness/row.ts';
import { call, connectMail, type Stage, stage } from '../harness/stage.ts';
import { startTraffic } from '../harness/traffic.ts';

const person = 'ada@sandbox.test';
const tokenPath = '/common/oauth2/v2.0/token';
const patienceMs = 60_000;

const stateOf = async (origin: string, id: string): Promise<string> =>
  String((await call(origin, 'GET', `/v1/accounts/${id}`)).body['state']);

const until = async (holds: () => Promise<boolean>): Promise<boolean> => {
  for (const end = performance.now() + patienceMs; performance.now() < end; await sleep(100)) {
    if (await holds()) return true;
  }
  return false;
};

const tokenRequests = ({ mail }: Stage): number => mail.control.log.list(0, tokenPath).length;
const boardRequests = ({ board }: Stage): number => board.control.log.list(0, '/1/').length;

/**
 * A person takes the access of mail back, and the board's token is refused, while agents start and mails are sent in two
 * processes; then both are connected again. What the services are asked meanwhile is counted by them.
 */
export const death: Proof = {
  name: 'death',
  about:
    'access that is taken away is tried once, says so, and sends nothing; what happened meanwhile is caught up once',
  run: async ({ scale, progress, database: given }) => {
    await using set = await stage({ database: given });
    const database = await set.sharedDatabase();
    const environment = { ...set.environment, DATABASE_URL: database.connectionString };
    const running = [await startProcess('start', environment), await startProcess('start', environment)];
    const origins = running.map(({ origin }) => origin);
    const [origin = ''] = origins;
    const objections: string[] = [];
    let deaths = 0;
    let worstRecoveryMs = 0;
    try {
      const { mailAccount, boardAccount } = await setOut(origin, set);
      const traffic = startTraffic({ set, origins, mailAccount, hurry: scale <= tiny });
      const marked = (id: string) => until(async () => (await stateOf(origin, id)) === 'needs_reconnect');

      const mailDies = async (): Promise<void> => {
        set.mail.control.log.clear();
        set.mail.world.tokens.revoke(person);
        if (!(await marked(mailAccount))) objections.push('a dead mail account was never marked');
        await sleep(2_000);
        const tries = tokenRequests(set);
        if (tries !== 1) objections.push(`a dead grant was tried ${tries} times`);
        // Beside so many other calls the key may be told to slow down.
        const isBack = await until(async () => {
          await connectMail(origin, set.mail, person).catch(() => undefined);
          return (await stateOf(origin, mailAccount)) === 'connected';
        });
        if (!isBack) objections.push('the mailbox was not connected again');
      };

      const boardDies = async (): Promise<void> => {
        set.board.control.faults.add({ match: { path: '/1/' }, kind: 'status', status: 401 });
        await call(origin, 'POST', `/v1/accounts/${boardAccount}/test`);
        if (!(await marked(boardAccount))) objections.push('a dead board account was never marked');
        // What was under way in the other process has ended by then.
        await sleep(2_000);
        set.board.control.log.clear();
        await sleep(2_000);
        const asked = boardRequests(set);
        if (asked > 0) objections.push(`a board that refuses us was asked ${asked} times more`);
        set.board.control.faults.clear();
        await call(origin, 'POST', `/v1/accounts/${boardAccount}/test`);
        if ((await stateOf(origin, boardAccount)) !== 'connected') objections.push('the board was not connected again');
      };

      const rounds = Math.max(1, Math.round(10 * scale));
      for (let round = 1; round <= rounds; round += 1) {
        await sleep(scale <= tiny ? 500 : 2_000);
        await mailDies();
        await boardDies();
        deaths += 2;
        const began = performance.now();
        const open = [...traffic.missing()];
        const caughtUp = () => {
          const left = new Set(traffic.missing());
          return open.every((name) => !left.has(name));
        };
        await until(async () => caughtUp());
        worstRecoveryMs = Math.max(worstRecoveryMs, performance.now() - began);
        progress(
          `round ${round} of ${rounds}: ${open.length} had to be caught up, ${traffic.ended()} requests have ended`,
        );
      }
      await traffic.end();
      await until(async () => traffic.missing().length === 0);
      // A second start would come by then.
      await sleep(scale <= tiny ? 500 : 3_000);
      const counted = await traffic.count(origin);
      const told = [...traffic.answers()].map(([code]) => code);
      return {
        guarantee: `access taken away ${deaths} times under load`,
        tried: counted.events + counted.sends + counted.rows,
        ...{ events: counted.events, sends: counted.sends },
        ...{ lost: counted.lost, duplicated: counted.duplicated, unknown: counted.unknown, worstRecoveryMs },
        objections: [
          ...objections,
          ...counted.twice.map((name) => `happened twice: ${name}`),
          ...(counted.untrue > 0 ? [`${counted.untrue} were told as not done but happened`] : []),
          ...(told.includes('send reconnect_needed') ? [] : ['nobody was told to connect again']),
          ...told
            .filter((code) => !/ (?:done|gone|conflict|rate_limited|reconnect_needed|outcome_unknown)$/.test(code))
            .map((code) => `an answer that tells nobody what to do: ${code}`),
        ],
      };
    } finally {
      for (const each of running) await each.stop();
      await database.stop();
    }
  },
};
