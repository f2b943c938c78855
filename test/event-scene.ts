import { defaultIntervals, type Intervals } from '#clock';
import { TestBoard } from '../sandbox/board/test-board.ts';
import { type Answer, workbench } from './workbench.ts';

export type Scene = Awaited<ReturnType<typeof eventScene>>;

/** A workbench whose address the sandbox reaches, with an agent that comments on the card it is told of. */
export const eventScene = async (
  options: { mail?: boolean; model?: boolean; intervals?: Partial<Intervals>; pushed?: boolean } = {},
) => {
  const { mail = false, model = false, pushed = true } = options;
  const bench = await workbench({
    mail,
    model,
    reachable: pushed,
    config: {
      intervals: {
        ...defaultIntervals,
        writeDeadlineMs: 3_000,
        tickMs: 100,
        retryMs: 200,
        // A registration or a look that fails on a busy machine is made good as soon as the test expects a look.
        pollMs: options.intervals?.lookMs ?? defaultIntervals.pollMs,
        ...options.intervals,
      },
      // Nobody can reach an address of the outside world here, so everything is polled.
      ...(pushed ? {} : { publicUrl: new URL('http://127.0.0.1:9') }),
    },
  });
  const { owned } = bench;

  const made = async (method: string, path: string, body?: unknown): Promise<Answer['body']> => {
    const answer = await owned(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };

  /** Ada's board account; with the app's secret, notifications are verified by their signature. */
  const connectBoard = async (as = 'ada', withSecret = true): Promise<string> => {
    const { key, token, appSecret } = bench.board.credentials(as);
    const auth = { type: 'key_token', key, token, ...(withSecret ? { secret: appSecret } : {}) };
    const { id } = await made('POST', '/v1/accounts', { integration: 'board', auth });
    return id;
  };

  const newTool = async (name: string, inputs: string[], step: { step: string; input: object }): Promise<string> => {
    const { id } = await made('POST', '/v1/tools', {
      name,
      description: name,
      inputs: [
        ...inputs.map((input) => ({ name: input, type: 'string', required: true, description: input })),
        { name: 'account', type: 'account', integration: step.step.split('.')[0], permissionType: 'standard' },
      ],
      steps: [{ key: 'it', account: { input: 'account' }, permission: 'autopilot', ...step }],
      output: '{{steps.it.output}}',
    });
    return id;
  };

  const newAgent = async (name: string, toolId: string, input: object): Promise<string> => {
    const { id } = await made('POST', '/v1/agents', {
      name,
      instructions: '',
      tools: [{ toolId, permission: 'autopilot', recipients: 'guarded' }],
      runner: { type: 'tool', toolId, input },
    });
    return id;
  };

  /** An agent that writes what it was told under the card. */
  const commenter = async (accountId: string, text = 'Seen: {{event.eventId}}'): Promise<string> => {
    const toolId = await newTool('Comment', ['cardId', 'text'], {
      step: 'board.add_comment_to_card',
      input: { cardId: '{{inputs.cardId}}', text: '{{inputs.text}}' },
    });
    return newAgent('Commenter', toolId, { cardId: '{{event.data.card.id}}', text, account: accountId });
  };

  /** An agent that reads a board: it can be started by anything. */
  const reader = async (accountId: string): Promise<string> => {
    const toolId = await newTool('Read', [], { step: 'board.get_boards', input: {} });
    return newAgent('Reader', toolId, { account: accountId });
  };

  const newTrigger = (agentId: string, type: string, accountId: string, config: object = {}): Promise<Answer['body']> =>
    made('POST', '/v1/triggers', { agentId, type, accountId, config });

  const events = async (filter: Record<string, string> = {}): Promise<Answer['body'][]> => {
    const query = new URLSearchParams({ limit: '100', ...filter });
    return (await made('GET', `/v1/events?${query}`)).items;
  };

  /** Waits until the events are as the test expects them. */
  const until = async <T>(read: () => Promise<T>, isDone: (found: T) => boolean, patienceMs = 45_000): Promise<T> => {
    const end = Date.now() + patienceMs;
    for (;;) {
      const found = await read();
      if (isDone(found) || Date.now() > end) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  /** The first look at a new trigger's boards is over: what happens from now on is told, not found. */
  const settled = ({ id }: Answer['body']) =>
    until(
      () => made('GET', `/v1/triggers/${id}`),
      ({ watches }) => watches.every((watch: Answer['body']) => Date.parse(watch.nextLookAt) > Date.now() + 1_000),
    );

  return {
    bench,
    board: bench.board,
    /** The board service as anybody can call it. */
    service: new TestBoard(bench.board),
    made,
    connectBoard,
    newTool,
    newAgent,
    commenter,
    reader,
    newTrigger,
    settled,
    events,
    until,
    eventsUntil: (count: number, filter: Record<string, string> = {}) =>
      until(
        () => events(filter),
        (found) => found.length >= count,
      ),
    run: (id: string) => made('GET', `/v1/runs/${id}`),
    /** Texts of the comments on a card, oldest first: what really happened at the service. */
    comments: (cardId: string): string[] => bench.board.comments(cardId),
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  };
};
