import { appendFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { type Opening, openings, type Service } from '../common/opening.ts';
import { redact } from '../common/request-log.ts';
import { type Exchange, watchAnswers } from './exchange.ts';
import type { Entry } from './report.ts';

/*
 * Holds every answer of every sandbox in this process against the services' own descriptions. Importing this is enough;
 * what strays is noted in the folder SANDBOX_RECORD names, one file per process, before the answer leaves.
 */

/** Says what is wrong with an exchange, in words, where the service's description covers it. */
type Judge = { describes: (url: string) => boolean; problems: (exchange: Exchange) => string[] };

// Loaded when a sandbox starts: most tests need none.
const judges: Record<Service, (() => Promise<Judge>) | undefined> = {
  board: async () => (await import('../board/contract/judge.ts')).judge,
  mail: async () => (await import('../mail/contract/judge.ts')).judge,
  // No description of it is held against it.
  model: undefined,
};

const folder = process.env['SANDBOX_RECORD'];

const note = (entry: Entry): void => {
  if (folder === undefined || folder === '') return;
  mkdirSync(folder, { recursive: true });
  appendFileSync(path.join(folder, `${process.pid}.jsonl`), `${JSON.stringify(entry)}\n`);
};

/** What strayed in this process so far. */
export const strayed: string[] = [];

const judged = (judge: Judge, exchange: Exchange): string[] => {
  try {
    return judge.problems(exchange);
  } catch (error) {
    return [`could not be judged: ${String(error)}`];
  }
};

const record = ({ service, server, waitFor }: Opening): void => {
  note({ kind: 'opened', service });
  let answers = 0;
  server.once('close', () => note({ kind: 'closed', service, answers }));
  let judge: Judge | undefined;
  const load = judges[service];
  if (load !== undefined)
    waitFor(
      load().then((loaded) => {
        judge = loaded;
      }),
    );
  watchAnswers(server, (exchange) => {
    if (judge === undefined || !judge.describes(exchange.url)) return;
    answers++;
    for (const problem of judged(judge, exchange)) {
      const text = `${service}: ${exchange.method} ${redact(exchange.url)} ${exchange.status}: ${problem}`;
      strayed.push(text);
      note({ kind: 'strayed', text });
    }
  });
};

openings.subscribe((opening) => record(opening as Opening));
