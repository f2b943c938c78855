import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { z } from 'zod';
import { type Listening, listen } from '../common/listen.ts';
import { QuickResponse } from '../common/quick-response.ts';
import {
  type Control,
  controlBody,
  controlRoutes,
  createControl,
  type SandboxEnv,
  watchRequests,
} from '../common/server.ts';
import { ChatRequest, unansweredCall } from './chat.ts';
import { chunks, completion, said } from './completion.ts';
import { modelPage } from './page.ts';
import { type Move, turnOf } from './script.ts';
import { scripts } from './scripts/index.ts';

export type ModelSandbox = Listening & { app: Hono<SandboxEnv>; control: Control; reset: () => void };

/** One exchange as it was, for tests that ask what text a model was given. */
export type Exchange = { at: string; script: string; request: ChatRequest; move: Move };

const kept = 500;
const modelName = 'sandbox-script';

const refusal = (message: string, param: string | null = null, code: string | null = null) => ({
  error: { message, type: 'invalid_request_error', param, code },
});

const faultBody = (status: number) => {
  const type = status === 429 ? 'requests' : status >= 500 ? 'server_error' : 'invalid_request_error';
  const code = status === 429 ? 'rate_limit_exceeded' : null;
  const message =
    status === 429
      ? 'Rate limit reached for sandbox-script.'
      : 'The server had an error while processing your request.';
  return { body: JSON.stringify({ error: { message, type, param: null, code } }), contentType: 'application/json' };
};

const MoveInput = z.strictObject({
  say: z.string().optional(),
  call: z
    .array(z.strictObject({ name: z.string(), arguments: z.union([z.string(), z.record(z.string(), z.unknown())]) }))
    .optional(),
});
const ScriptInput = z.union([
  z.strictObject({ name: z.enum(scripts.map(({ name }) => name) as [string, ...string[]]) }),
  z.strictObject({ moves: z.array(MoveInput).min(1) }),
]);

class State {
  script = scripts[0];
  /** Moves dictated by a test; played before the script. */
  moves: Move[] = [];
  exchanges: Exchange[] = [];

  reset(): void {
    this.script = scripts[0];
    this.moves = [];
    this.exchanges = [];
  }
}

/** `sandbox-script` plays the script set by the control route; a script's own name, alone or after a colon, plays that. */
const scriptFor = (state: State, name: string) =>
  name === modelName
    ? state.script
    : scripts.find((script) => script.name === name || `${modelName}:${script.name}` === name);

const modelList = (now: number) =>
  [modelName, ...scripts.map(({ name }) => `${modelName}:${name}`)].map((id) => ({
    id,
    object: 'model',
    created: Math.floor(now / 1000),
    owned_by: 'sandbox',
  }));

const completionRoutes = (state: State, control: Control) =>
  new Hono<SandboxEnv>()
    .get('/models', (c) => c.json({ object: 'list', data: modelList(control.clock.now()) }))
    .get('/models/:id', (c) => {
      const found = modelList(control.clock.now()).find(({ id }) => id === c.req.param('id'));
      return found === undefined ? c.json(unknownModel(c.req.param('id')), 404) : c.json(found);
    })
    .post('/chat/completions', async (c) => {
      const body: unknown = await c.req.json().catch(() => undefined);
      if (body === undefined) return c.json(refusal('We could not parse the JSON body of your request.'), 400);
      const parsed = ChatRequest.safeParse(body);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        const path = issue?.path.map(String).join('.') ?? '';
        return c.json(
          refusal(`Invalid value for '${path}': ${issue?.message ?? 'invalid'}.`, path, 'invalid_value'),
          400,
        );
      }
      const request = parsed.data;
      const script = scriptFor(state, request.model);
      if (script === undefined) return c.json(unknownModel(request.model), 404);
      const disorder = unansweredCall(request.messages);
      if (disorder !== undefined) return c.json(refusal(disorder, 'messages'), 400);
      const move = state.moves.shift() ?? script.move(turnOf(request));
      state.exchanges.push({ at: control.clock.date().toISOString(), script: script.name, request, move });
      if (state.exchanges.length > kept) state.exchanges.shift();
      const answer = said(request, move, script.name, control.clock.now());
      if (request.stream !== true)
        return new QuickResponse(JSON.stringify(completion(answer)), {
          headers: { 'Content-Type': 'application/json' },
        });
      return streamSSE(c, async (stream) => {
        for (const chunk of chunks(answer, request.stream_options?.include_usage === true))
          await stream.writeSSE({ data: JSON.stringify(chunk) });
        await stream.writeSSE({ data: '[DONE]' });
      });
    });

const unknownModel = (name: string) =>
  refusal(
    `The model '${name}' does not exist. This sandbox plays scripts: ask for ${modelName}.`,
    null,
    'model_not_found',
  );

/** The stand-in for a model server. It plays scripts and says so; nothing in it thinks. */
export const startModel = async ({ port }: { port?: number } = {}): Promise<ModelSandbox> => {
  const control = createControl();
  const state = new State();
  const app = new Hono<SandboxEnv>();
  const reset = () => state.reset();
  watchRequests(app, control, faultBody);
  const own = controlRoutes(control, reset)
    .get('/script', (c) =>
      c.json({
        name: state.script.name,
        moves: state.moves,
        available: scripts.map(({ name, purpose }) => ({ name, purpose })),
      }),
    )
    .post('/script', async (c) => {
      const input = await controlBody(c.req, ScriptInput);
      if ('moves' in input) state.moves.push(...input.moves);
      else state.script = scripts.find(({ name }) => name === input.name) ?? scripts[0];
      return c.json({ name: state.script.name, moves: state.moves.length });
    })
    .get('/exchanges', (c) => c.json({ items: state.exchanges }));
  app
    .route('/_control', own)
    .route('/v1', completionRoutes(state, control))
    .get('/', () => modelPage(state.script.name, state.exchanges))
    .notFound((c) => c.json(refusal(`Invalid URL (${c.req.method} ${c.req.path})`), 404));
  const server = await listen({ service: 'model', fetch: app.fetch }, { port: port ?? 0 });
  return { ...server, app, control, reset };
};
