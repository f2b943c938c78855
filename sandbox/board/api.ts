import type { Context } from 'hono';
import { QuickResponse } from '../common/quick-response.ts';
import type { SandboxEnv } from '../common/server.ts';
import { Call } from './call.ts';
import { type Caller, identify, nobody } from './identify.ts';
import { Input, readInput } from './input.ts';
import type { RateLimits } from './rate-limits.ts';
import { invalidId, plain, Refusal, unauthorized } from './refusal.ts';
import { type Endpoint, Raw, type Router } from './router.ts';
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

  async handle(c: Context<SandboxEnv>): Promise<Response> {
    const { url } = c.req;
    const start = url.indexOf('/', url.indexOf('//') + 2);
    const query = url.indexOf('?', start);
    const path = query < 0 ? url.slice(start) : url.slice(start, query);
    const asked: { caller: Caller } = { caller: nobody };
    try {
      const answer = await this.#answer(c, path, asked);
      if (answer instanceof Raw) return this.#reply(asked.caller, answer.body, 200, answer.headers);
      const body = JSON.stringify(answer);
      return this.#reply(asked.caller, body, 200, { 'content-type': json });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, body, contentType } = error;
      return this.#reply(asked.caller, body, status, { 'content-type': contentType });
    }
  }

  async #answer(c: Context<SandboxEnv>, path: string, asked: { caller: Caller }): Promise<unknown> {
    const { url, method } = c.req;
    const match = this.#router.match(method, path.slice(2));
    if (!match) throw plain(404, `Cannot ${method} ${path}`);
    if (!match.wellFormed) throw invalidId();
    const header = (name: string) => c.req.header(name);
    const read = readInput({ url, method, header, raw: () => c.req.raw });
    const input = read instanceof Promise ? await read.catch(keep) : read;
    const caller = identify(this.#world, header('authorization'), input instanceof Input ? input : noInput);
    asked.caller = caller;
    if (caller.member) c.set('user', caller.member.username);
    const refused = this.#limits.count(caller, path);
    if (refused) throw refused;
    checkScopes(caller, match.endpoint);
    if (!(input instanceof Input)) throw input;
    const call = new Call(this.#world, caller, match.params, input, header('x-trello-client-identifier'));
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

  #reply(caller: Caller, body: string | Uint8Array, status: number, headers: Record<string, string>): Response {
    const all = { ...headers, ...this.#limits.headers(caller), 'access-control-allow-origin': '*' };
    return new QuickResponse(body as BodyInit, { status, headers: all });
  }
}

const noInput = new Input(new Map());
/** A body that cannot be read is refused only after the caller is known. */
const keep = (error: unknown): Refusal => {
  if (error instanceof Refusal) return error;
  throw error;
};
