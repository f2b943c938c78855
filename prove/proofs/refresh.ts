import { setTimeout as sleep } from 'node:timers/promises';
import type { MailSandbox } from '../../sandbox/index.ts';
import { startProcess } from '../harness/processes.ts';
import type { Proof } from '../harness/row.ts';
import { call, connectMail, stage } from '../harness/stage.ts';

const person = 'ada@sandbox.test';
const tokenPath = '/common/oauth2/v2.0/token';

const refreshes = (mail: MailSandbox): number => mail.control.log.list(0, tokenPath).length;

/** From now on: every access token has ended, and what arrives is counted afresh. */
const expire = (mail: MailSandbox): void => {
  mail.world.tokens.expire(person);
  mail.control.log.clear();
};

const errorCode = (body: Record<string, unknown>): unknown => (body['error'] as { code?: unknown } | undefined)?.code;

/** What a caller may be told while the token server keeps everybody waiting. */
const later = new Set<unknown>(['upstream_unavailable', 'rate_limited']);

/** Refreshes are counted by the token server itself. */
export const refresh: Proof = {
  name: 'refresh',
  about:
    'one refresh per expiry over two processes, also when the token server is slow or a process dies; no grant is lost',
  run: async ({ scale, progress, database: given }) => {
    await using set = await stage({ database: given });
    const { mail } = set;
    await fetch(`${mail.url}/_control/limits`, { method: 'POST', body: '{"off":true}' });
    const database = await set.sharedDatabase();
    const environment = {
      ...set.environment,
      DATABASE_URL: database.connectionString,
      INTERVALS: JSON.stringify({ leaseMs: 3_000, leaseRenewMs: 1_000 }),
    };
    const first = await startProcess('api', environment);
    const second = await startProcess('api', environment);
    let doomed = await startProcess('api', environment);
    const read = (accountId: string, origin: string) =>
      call(origin, 'POST', '/v1/steps/mail.list_folders/run', { accountId, input: {} });
    let [tried, lost, duplicated] = [0, 0, 0];
    const objections: string[] = [];
    try {
      const accountId = await connectMail(first.origin, mail, person);
      /** Calls from both processes at once; those told to come back later are no loss. */
      const burst = async (count: number, waits: boolean) => {
        const answers = await Promise.all(
          Array.from({ length: count }, (_, n) => read(accountId, n % 2 === 0 ? first.origin : second.origin)),
        );
        tried += count;
        const failed = answers.filter(({ status, body }) => status !== 200 && !(waits && later.has(errorCode(body))));
        lost += failed.length;
        if (failed[0] !== undefined) objections.push(JSON.stringify(failed[0].body));
        // The key itself may make 50 calls a second.
        await sleep(count * 20);
      };
      const count = (what: string): void => {
        const seen = refreshes(mail);
        if (seen !== 1) objections.push(`${what}: ${seen} refreshes`);
        duplicated += Math.max(0, seen - 1);
      };

      const rounds = Math.max(2, Math.round(10 * scale));
      const parallel = scale < 1 ? 40 : 100;
      for (let round = 1; round <= rounds; round++) {
        expire(mail);
        await burst(parallel, false);
        count(`round ${round}`);
      }
      progress(`${rounds} expiries, ${parallel} parallel calls each: ${duplicated} refreshes too many`);

      const slowMs = scale < 1 ? 3_000 : 60_000;
      expire(mail);
      mail.control.faults.add({ match: { path: tokenPath }, kind: 'latency', ms: slowMs, times: 1 });
      const began = performance.now();
      await burst(20, true);
      await sleep(Math.max(0, slowMs + 500 - (performance.now() - began)));
      await burst(20, false);
      count(`token server slow by ${slowMs} ms`);
      progress(`token server slow by ${slowMs / 1000} s: done`);

      const kills = Math.max(1, Math.round(5 * scale));
      for (let kill = 1; kill <= kills; kill++) {
        expire(mail);
        mail.control.faults.add({ match: { path: tokenPath }, kind: 'latency', ms: 1_500, times: 1 });
        const abandoned = read(accountId, doomed.origin).catch(() => undefined);
        await sleep(700);
        await doomed.kill();
        await abandoned;
        await burst(20, false);
        const { body } = await call(first.origin, 'GET', `/v1/accounts/${accountId}`);
        if (body['state'] !== 'connected') objections.push(`the grant was lost: ${String(body['reason'])}`);
        // The one of the dead process, and one that took its place.
        if (refreshes(mail) > 2) duplicated += refreshes(mail) - 2;
        doomed = await startProcess('api', environment);
      }
      progress(`${kills} × kill -9 in mid-refresh: the grant ${objections.length === 0 ? 'lives' : 'was harmed'}`);
      return {
        guarantee: 'one refresh per expiry, no lost grant',
        tried,
        kills,
        lost,
        duplicated,
        unknown: 0,
        objections,
      };
    } finally {
      await Promise.all([first.stop(), second.stop(), doomed.stop()]);
      await database.stop();
    }
  },
};
