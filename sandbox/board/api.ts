import type { Asked } from '../common/asked.ts';
import type { Answered } from '../common/door.ts';
import { Call } from './call.ts';
import { type Caller, identify, nobody } from './identify.ts';
import { Input, readInput } from './input.ts';
import type { RateLimits } from './rate-limits.ts';
import { invalidId, plain, Refusal, unauthorized } from './refusal.ts';
import { type Endpoint, type Match, Raw, type Router } from './router.ts';
import type { World } from './world.ts';

const json = 'application/json; charset=utf-8';

/** Refuses a token that was not granted what the endpoint needs. */
const checkScopes = (caller: Caller, { method, scopes, path }: Endpoint): void => {
  const { token } = caller;
  if (!token) return;
  if (token.kind === 'oauth') {
    if (!scopes.every((scope) => token.scopes.includes(`${scope}:trello`))) throw unauthorized();
    return;
  }
  const account = scopes.includes('write:member');
  if (account && !token.scopes.includes('account')) throw unauthorized('unauthorized member permission requested');
  const free = path.startsWith('/tokens/') || path === '/webhooks/:idWebhook';
  const need = method === 'GET' || free ? 'read' : 'write';
  if (!account && !token.scopes.includes(need)) throw unauthorized();
};

export type Answer = { status: number; body: unknown };

/** The API under /1: syntax of ids, then credentials, limits, permission, existence. */
export class Api {
  readonly #world: World;
  readonly #limits: RateLimits;
  readonly #router: Router;

  constructor(world: World, limits: RateLimits, router: Router) {
    this.#world = world;
    this.#limits = limits;
    this.#router = router;
  }

  answer(asked: Asked): Answered | Promise<Answered> {
    const who: { caller: Caller } = { caller: nobody };
    try {
      const made = this.#make(asked, who);
      if (!(made instanceof Promise)) return this.#reply(who.caller, made);
      return made.then(
        (value) => this.#reply(who.caller, value),
        (error: unknown) => this.#refuse(who.caller, error),
      );
    } catch (error) {
      return this.#refuse(who.caller, error);
    }
  }

  #make(asked: Asked, who: { caller: Caller }): unknown {
    const { url, method } = asked;
    const query = url.indexOf('?');
    const path = query < 0 ? url : url.slice(0, query);
    const match = this.#router.match(method, path.slice(2));
    if (!match) throw plain(404, `Cannot ${method} ${path}`);
    if (!match.wellFormed) throw invalidId();
    const read = readInput(asked);
    if (!(read instanceof Promise)) return this.#run(asked, path, match, read, who);
    return read.catch(keep).then((input) => this.#run(asked, path, match, input, who));
  }

  #run(asked: Asked, path: string, match: Match, input: Input | Refusal, who: { caller: Caller }): unknown {
    const caller = identify(this.#world, asked.header('authorization'), input instanceof Input ? input : noInput);
    who.caller = caller;
    if (caller.member) asked.user = caller.member.username;
    const refused = this.#limits.count(caller, path);
    if (refused) throw refused;
    checkScopes(caller, match.endpoint);
    if (!(input instanceof Input)) throw input;
    const call = new Call(this.#world, caller, match.params, input, asked.header('x-trello-client-identifier'));
    return match.endpoint.run(call);
  }

  /** One GET of a batch, by the same caller, not counted again. */
  async within(caller: Caller, url: string): Promise<Answer> {
    const [path = '', query = ''] = url.split('?', 2);
    try {
      const match = this.#router.match('GET', path);
      if (!match) throw plain(404, `Cannot GET /1${path}`);
      if (!match.wellFormed) throw invalidId();
      checkScopes(caller, match.endpoint);
      const input = new Input(new Map(new URLSearchParams(query)));
      const body = await match.endpoint.run(new Call(this.#world, caller, match.params, input, undefined));
      return { status: 200, body };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { status: error.status, body: error.body };
    }
  }

  #reply(caller: Caller, value: unknown): Answered {
    if (value instanceof Raw) return this.#answered(caller, 200, Object.entries(value.headers).flat(), value.body);
    return this.#answered(caller, 200, ['content-type', json], JSON.stringify(value));
  }

  #refuse(caller: Caller, error: unknown): Answered {
    if (!(error instanceof Refusal)) throw error;
    return this.#answered(caller, error.status, ['content-type', error.contentType], error.body);
  }

  #answered(caller: Caller, status: number, headers: string[], body: string | Uint8Array): Answered {
    headers.push('access-control-allow-origin', '*');
    this.#limits.tell(caller, headers);
    return { status, headers, body };
  }
}

const noInput = new Input(new Map());
/** A body that cannot be read is refused only after the caller is known. */
const keep = (error: unknown): Refusal => {
  if (error instanceof Refusal) return error;
  throw error;
};
