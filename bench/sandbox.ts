import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { Client } from 'undici';
import { startBoard } from '../sandbox/board/server.ts';
import { startMail } from '../sandbox/mail/server.ts';
import { noteFigure } from './lib/figures.ts';

/*
 * How fast the sandbox answers, beside a bare Hono server that answers a body of the same size in the same run.
 * Each server has a process of its own. They take turns many times in every round, so that whatever else the machine
 * does strikes both.
 */

const messages = 100_000;
const cards = 20_000;
const rounds = 7;
const turnsPerRound = 6;
const secondsPerTurn = 0.5;
const connections = 16;
const warmUpRequests = 4000;
const goals = { ratio: 0.3, megabytes: 1024 };

type Target = { url: string; method: 'GET' | 'POST'; path: string; headers: Record<string, string> };
type Load = { answered: number; seconds: number; cpu: number };

const ask = async (url: string, path: string, body?: unknown): Promise<unknown> => {
  const answer = await fetch(url + path, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
};

const serveMail = async (): Promise<Target> => {
  const mail = await startMail();
  await ask(mail.url, '/_control/limits', { off: true });
  await ask(mail.url, '/_control/seed', { messages });
  const headers = { authorization: `Bearer ${mail.tokenFor('ada@sandbox.test')}` };
  return { url: mail.url, method: 'GET', path: '/v1.0/me/messages?$top=10', headers };
};

const serveBoard = async (): Promise<Target> => {
  const board = await startBoard();
  await ask(board.url, '/_control/limits', { off: true });
  const seeded = (await ask(board.url, '/_control/seed', { cards })) as { cards: { idLists: string[] } };
  const { members } = (await ask(board.url, '/_control/credentials')) as { members: { key: string; token: string }[] };
  const [ada] = members;
  const headers = { authorization: `OAuth oauth_consumer_key="${ada?.key}", oauth_token="${ada?.token}"` };
  const path = `/1/cards?idList=${seeded.cards.idLists.at(-1)}&name=${encodeURIComponent('A card from the benchmark')}`;
  return { url: board.url, method: 'POST', path, headers };
};

const serveBare = async (answer: string): Promise<Target> => {
  const app = new Hono().all('*', (c) => c.body(answer, 200, { 'Content-Type': 'application/json; charset=utf-8' }));
  // As its own documentation starts it, with the faster Request and Response it brings.
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, method: 'GET', path: '/', headers: {} };
};

/** Runs in the child: serves, then answers what it has used so far. */
const serveAs = async (role: string): Promise<void> => {
  const [answer] = role === 'bare' ? ((await once(process, 'message')) as [string]) : [''];
  const target = await (role === 'mail' ? serveMail() : role === 'board' ? serveBoard() : serveBare(answer));
  process.on('message', () => {
    // Of the thread that answers: helper threads (collection, compiling) do not limit requests where cores are free.
    const { user, system } = process.threadCpuUsage();
    process.send?.({ cpu: user + system, rss: process.memoryUsage.rss() });
  });
  process.send?.(target);
};

const start = async (role: string, answer?: string): Promise<{ child: ChildProcess; target: Target }> => {
  const child = fork(import.meta.filename, ['serve', role]);
  if (answer !== undefined) child.send(answer);
  const [target] = (await once(child, 'message')) as [Target];
  return { child, target };
};

const used = async (child: ChildProcess): Promise<{ cpu: number; rss: number }> => {
  child.send('used?');
  const [usage] = (await once(child, 'message')) as [{ cpu: number; rss: number }];
  return usage;
};

/** One connection that asks again as soon as it is answered, until it has asked enough. */
const keepAsking = async ({ url, ...request }: Target, enough: (answered: number) => boolean): Promise<number> => {
  const client = new Client(url, { pipelining: 1 });
  let answered = 0;
  while (!enough(answered)) {
    const { statusCode, body } = await client.request(request);
    await body.dump({ limit: Number.POSITIVE_INFINITY });
    if (statusCode !== 200) throw new Error(`${request.method} ${request.path} was answered ${statusCode}`);
    answered++;
  }
  await client.close();
  return answered;
};

const perConnection = <T>(act: () => Promise<T>) => Promise.all(Array.from({ length: connections }, act));

/** Until the server's code is compiled. */
const warmUp = (target: Target) =>
  perConnection(() => keepAsking(target, (answered) => answered * connections >= warmUpRequests));

const turn = async (child: ChildProcess, target: Target): Promise<Load> => {
  const before = await used(child);
  const started = performance.now();
  const end = started + secondsPerTurn * 1000;
  const answered = await perConnection(() => keepAsking(target, () => performance.now() >= end));
  const seconds = (performance.now() - started) / 1000;
  const { cpu } = await used(child);
  return { answered: answered.reduce((sum, each) => sum + each, 0), seconds, cpu: cpu - before.cpu };
};

const together = (turns: readonly Load[]) => {
  const sum = (of: (load: Load) => number): number => turns.reduce((total, each) => total + of(each), 0);
  const answered = sum((each) => each.answered);
  return {
    requestsPerSecond: answered / sum(({ seconds }) => seconds),
    cpuMicrosecondsPerRequest: sum(({ cpu }) => cpu) / answered,
  };
};

type Round = ReturnType<typeof together>;

const alternate = async (
  own: () => Promise<Load>,
  plain: () => Promise<Load>,
): Promise<{ own: Round; plain: Round }> => {
  const turns: { own: Load; plain: Load }[] = [];
  for (let at = 0; at < turnsPerRound; at++) turns.push({ own: await own(), plain: await plain() });
  return { own: together(turns.map((each) => each.own)), plain: together(turns.map((each) => each.plain)) };
};

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const compare = async (name: string, role: 'mail' | 'board') => {
  const sandbox = await start(role);
  const { url, ...request } = sandbox.target;
  const { rss } = await used(sandbox.child);
  const answer = await (await fetch(url + request.path, request)).text();
  const bare = await start('bare', answer);
  const bareTarget = { ...request, url: bare.target.url };
  const [own, plain]: [Round[], Round[]] = [[], []];
  for (const target of [sandbox.target, bareTarget]) await warmUp(target);
  for (let round = 0; round < rounds; round++) {
    const both = await alternate(
      () => turn(sandbox.child, sandbox.target),
      () => turn(bare.child, bareTarget),
    );
    own.push(both.own);
    plain.push(both.plain);
  }
  const after = await used(sandbox.child);
  for (const { child } of [sandbox, bare]) child.kill();
  const speed = (all: Round[]) => median(all.map(({ requestsPerSecond }) => requestsPerSecond));
  const cost = (all: Round[]) => median(all.map(({ cpuMicrosecondsPerRequest }) => cpuMicrosecondsPerRequest));
  const ratios = own.map(({ requestsPerSecond }, at) => requestsPerSecond / (plain[at]?.requestsPerSecond ?? 1));
  return {
    name,
    bytes: answer.length,
    requestsPerSecond: Math.round(speed(own)),
    bareRequestsPerSecond: Math.round(speed(plain)),
    ratio: median(ratios),
    worstRatio: Math.min(...ratios),
    /** What the processor says, however busy the machine is with other things. */
    cpuRatio: cost(plain) / cost(own),
    cpuMicroseconds: Math.round(cost(own)),
    bareCpuMicroseconds: Math.round(cost(plain)),
    megabytesLoaded: Math.round(rss / 2 ** 20),
    megabytesAfter: Math.round(after.rss / 2 ** 20),
  };
};

export const benchSandbox = async () => {
  const results = [await compare('GET /v1.0/me/messages?$top=10', 'mail'), await compare('POST /1/cards', 'board')];
  const megabytes = results.reduce((sum, { megabytesLoaded }) => sum + megabytesLoaded, 0);
  const met = results.every(({ ratio }) => ratio >= goals.ratio) && megabytes < goals.megabytes;
  return { results, megabytes, met };
};

if (import.meta.main) {
  const [verb, role = ''] = process.argv.slice(2);
  if (verb === 'serve') await serveAs(role);
  else {
    const { results, megabytes, met } = await benchSandbox();
    for (const result of results)
      process.stdout.write(
        `${result.name}: ${result.requestsPerSecond}/s beside ${result.bareRequestsPerSecond}/s bare, ratio ${result.ratio.toFixed(2)}, at worst ${result.worstRatio.toFixed(2)} of ${rounds} (goal ${goals.ratio}); ${result.bytes} bytes; CPU ${result.cpuMicroseconds} µs beside ${result.bareCpuMicroseconds} µs a request, ratio ${result.cpuRatio.toFixed(2)}; ${result.megabytesLoaded} MB loaded, ${result.megabytesAfter} MB after\n`,
      );
    process.stdout.write(`${messages} messages and ${cards} cards: ${megabytes} MB (goal under ${goals.megabytes})\n`);
    for (const { name, ratio } of results)
      noteFigure({
        what: `requests/s of a bare server, ${name}`,
        value: ratio,
        unit: 'ratio',
        goal: { least: goals.ratio },
      });
    noteFigure({ what: 'memory loaded', value: megabytes, unit: 'MB', goal: { most: goals.megabytes } });
    process.exitCode = met ? 0 : 1;
  }
}
