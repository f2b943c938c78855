import { type Arguments, type Client, createClient, type Routes } from '../../../client/src/index.ts';
import { once } from './once.ts';
import { hearingTime } from './server-time.ts';

const client = createClient({ origin: '', fetch: hearingTime((...asked) => fetch(...asked)) });
const doOnce = once();

/** The server this page came from, as the person who is signed in. */
export const api: Client = {
  ...client,
  call: <R extends keyof Routes>(route: R, ...[given = {} as never]: Arguments<R>) =>
    doOnce(route, given, (keyed) => client.call(route, ...([keyed] as unknown as Arguments<R>))),
};
