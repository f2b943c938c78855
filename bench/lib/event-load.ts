import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';
import type { Seen } from './board-stub.ts';
import { instant } from './measure.ts';

/** A board that is watched: where its notifications go, as it was registered. */
export type Watched = { board: string; url: string };

export const appSecret = 'secret-of-the-benchmark-app';

const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0');

/** A signed notification of a card that moved, whose number is in the card's name. */
const notificationOf = (number: number, { board, url }: Watched): { body: string; signature: string } => {
  const body = JSON.stringify({
    action: {
      id: `${hex(Math.floor(Date.now() / 1000), 8)}${hex(number, 16)}`,
      type: 'updateCard',
      date: new Date().toISOString(),
      idMemberCreator: '6ae851105a0db0a2c4000001',
      memberCreator: { id: '6ae851105a0db0a2c4000001', fullName: 'Ada Marsh', username: 'ada' },
      data: {
        board: { id: board, name: 'Finance', shortLink: 'O5dYFdfy' },
        old: { idList: '6ae862685a0db0a2c4000018' },
        card: {
          id: `6ae86b14${hex(number % 10_000, 16)}`,
          name: `Prepare the quarterly numbers, no.${number},`,
          idShort: 42,
          shortLink: 'RY3NopZZ',
          idList: '6ae86b145a0db0a2c400001a',
        },
        listBefore: { id: '6ae862685a0db0a2c4000018', name: 'Doing' },
        listAfter: { id: '6ae86b145a0db0a2c400001a', name: 'Done' },
      },
    },
    model: { id: board },
  });
  return { body, signature: createHmac('sha1', appSecret).update(body).update(url).digest('base64') };
};

export type Loaded = {
  sent: number;
  perSecond: number;
  /** From the notification to the call at the service, in milliseconds. */
  delays: number[];
  /** From the notification to its answer. */
  answers: number[];
  lost: number;
  twice: number;
};

const connections = 32;
const patienceMs = 60_000;
const comeAgainMs = 1_000;

let lastNumber = 0;

/** Sends notifications, to several processes in turn, and waits until the service has been called for each that was taken. */
export const createLoad = (origin: string | readonly string[], watched: readonly Watched[], stub: string) => {
  const seen = async (from: number): Promise<Seen> =>
    (await (await fetch(`${stub}/_seen?from=${from}&to=${lastNumber + 1}`)).json()) as Seen;

  const drive = async (send: (one: (client: Client) => Promise<void>, clients: Client[]) => Promise<void>) => {
    const origins = [origin].flat();
    const clients = Array.from({ length: connections }, (_, nth) => new Client(origins[nth % origins.length] ?? ''));
    const from = lastNumber + 1;
    const sentAt = new Map<number, number>();
    const answers: number[] = [];
    const one = async (client: Client): Promise<void> => {
      lastNumber += 1;
      const number = lastNumber;
      const place = watched[number % watched.length];
      if (place === undefined) throw new Error('nothing is watched');
      const { body, signature } = notificationOf(number, place);
      const begun = instant();
      const tell = async (): Promise<void> => {
        const reply = await client.request({
          method: 'POST',
          path: new URL(place.url).pathname,
          headers: { 'content-type': 'application/json', 'x-trello-webhook': signature },
          body,
        });
        const text = await reply.body.text();
        if (reply.statusCode === 200) return;
        // As services do: what was not taken in time is told again.
        if (reply.statusCode !== 503 || instant() - begun > patienceMs) throw new Error(`${reply.statusCode}: ${text}`);
        await sleep(comeAgainMs);
        await tell();
      };
      await tell();
      sentAt.set(number, begun);
      answers.push(instant() - begun);
    };
    const begun = instant();
    await send(one, clients);
    const ended = instant();
    await Promise.all(clients.map((client) => client.close()));
    let known = await seen(from);
    while (known.arrivals.length < sentAt.size && instant() - ended < patienceMs) {
      await sleep(20);
      known = await seen(from);
    }
    const last = known.arrivals.reduce((latest, [, at]) => Math.max(latest, at), ended);
    return {
      sent: sentAt.size,
      perSecond: (known.arrivals.length / (last - begun)) * 1_000,
      delays: known.arrivals.flatMap(([number, at]) => at - (sentAt.get(number) ?? Number.NaN)),
      answers,
      lost: sentAt.size - known.arrivals.length,
      twice: known.again,
    };
  };

  return {
    /** Meets every board, and lets the compiler do its work. */
    warm: (count: number): Promise<Loaded> =>
      drive(async (one, clients) => {
        let left = count;
        await Promise.all(
          clients.map(async (client) => {
            while (left-- > 0) await one(client);
          }),
        );
      }),

    /** Each connection sends the next as soon as the last was answered. */
    closed: (ms: number): Promise<Loaded> =>
      drive(async (one, clients) => {
        const until = instant() + ms;
        await Promise.all(
          clients.map(async (client) => {
            while (instant() < until) await one(client);
          }),
        );
      }),

    /** So many a second, however long they take. */
    open: (perSecond: number, ms: number): Promise<Loaded> =>
      drive(async (one, clients) => {
        const begun = instant();
        const underWay: Promise<void>[] = [];
        while (instant() - begun < ms) {
          const due = Math.floor(((instant() - begun) * perSecond) / 1_000);
          while (underWay.length < due) {
            const client = clients[underWay.length % clients.length];
            if (client !== undefined) underWay.push(one(client));
          }
          await sleep(1);
        }
        await Promise.all(underWay);
      }),
  };
};
