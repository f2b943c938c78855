import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const Asked = z.object({ messages: z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() })) });

type Call = { name: string; arguments: Record<string, unknown> };

/**
 * A model that goes by the conversation alone: asked again, it says the same. It takes one call after the other and ends
 * with a sentence. A turn can be held, so that whoever waits for it can be killed meanwhile.
 */
export const turnTaker = async (callsFor: (title: string) => Call[]) => {
  let holdTurn: number | undefined;
  let held = false;
  const answer = (body: string) => {
    const { messages } = Asked.parse(JSON.parse(body));
    const said = messages.filter(({ role }) => role === 'tool').length;
    const title = /"title":"([^"]+)"/.exec(JSON.stringify(messages).replaceAll('\\"', '"'))?.[1] ?? '';
    const call = callsFor(title)[said];
    const calls = call && [
      {
        id: `call_${said}`,
        type: 'function',
        function: { name: call.name, arguments: JSON.stringify(call.arguments) },
      },
    ];
    const message = { role: 'assistant', content: call === undefined ? 'Done.' : null, tool_calls: calls };
    const choice = { index: 0, message, finish_reason: call === undefined ? 'stop' : 'tool_calls' };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    return {
      turn: said,
      text: JSON.stringify({ id: 'x', object: 'chat.completion', created: 1, model: 'x', choices: [choice], usage }),
    };
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { turn, text } = answer(Buffer.concat(chunks).toString());
      const holds = turn === holdTurn;
      if (holds) holdTurn = undefined;
      held ||= holds;
      setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(text), holds ? 3_000 : 0);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    /** Holds the next turn of this number; the function tells whether it has come. */
    hold: (turn: number) => {
      holdTurn = turn;
      held = false;
      return () => held;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};
