import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { instant } from './measure.ts';

/** What the stub has seen of a range of numbers: when each first came, and how many came again. */
export type Seen = { arrivals: [number: number, at: number][]; again: number };

const bodyOf = async (incoming: IncomingMessage): Promise<string> => {
  let text = '';
  incoming.setEncoding('utf8');
  for await (const chunk of incoming) text += chunk;
  return text;
};

/**
 * The board service, answering at once: it knows everyone by their token, takes every webhook, and counts comments by the number
 * in their text.
 */
export const serveBoardStub = async (): Promise<number> => {
  const first = new Map<number, number>();
  const again: number[] = [];

  const comment = (text: string, card: string): object => {
    const number = Number(/no\.(\d+)/.exec(text)?.[1] ?? Number.NaN);
    if (first.has(number)) again.push(number);
    else if (!Number.isNaN(number)) first.set(number, instant());
    return {
      id: `6af960cc${number.toString(16).padStart(16, '0')}`,
      date: '2026-11-15T07:35:40.705Z',
      idMemberCreator: '6ae851105a0db0a2c4000001',
      data: { text: 'Noted.', card: { id: card } },
    };
  };

  const answer = async (incoming: IncomingMessage): Promise<unknown> => {
    const { method, url = '' } = incoming;
    const text = method === 'POST' ? await bodyOf(incoming) : '';
    const card = /^\/1\/cards\/(\w+)\/actions\/comments/.exec(url)?.[1];
    if (card !== undefined) return comment(text, card);
    const { pathname, searchParams } = new URL(url, 'http://stub');
    if (pathname === '/_seen') {
      const [from, to] = [Number(searchParams.get('from')), Number(searchParams.get('to'))];
      const within = (number: number) => number >= from && number < to;
      return { arrivals: [...first].filter(([number]) => within(number)), again: again.filter(within).length };
    }
    if (pathname === '/1/members/me') {
      const token = /oauth_token="([^"]+)"/.exec(incoming.headers.authorization ?? '')?.[1] ?? 'nobody';
      return { id: token, username: token, fullName: token };
    }
    if (pathname === '/1/webhooks' && method === 'POST') {
      const { callbackURL, idModel } = JSON.parse(text) as { callbackURL: string; idModel: string };
      return { id: 'hook1', idModel, callbackURL, active: true };
    }
    const board = /^\/1\/boards\/(\w+)$/.exec(pathname)?.[1];
    if (board !== undefined) return { id: board, name: 'Finance', closed: false };
    // Nothing happened meanwhile, and there are no other webhooks.
    return [];
  };

  const server = createServer((incoming, outgoing) => {
    void answer(incoming).then((given) => {
      const body = Buffer.from(JSON.stringify(given));
      outgoing.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length });
      outgoing.end(body);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', 4_096);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};
