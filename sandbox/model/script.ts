import { type ChatRequest, type Message, type Tool, textOf } from './chat.ts';

/** What a script sees: the conversation so far and the tools on offer. */
export type Turn = {
  messages: Message[];
  tools: Tool[];
  /** How many times the script has spoken since the last word from outside. */
  said: number;
  /** What the tools answered since then, in order. */
  results: string[];
  /** Everything people and tools have said; never the instructions of the system. */
  outside: string;
};

/** Arguments that are text go out as they are, so that a script can send broken ones. */
export type Call = { name: string; arguments: Record<string, unknown> | string };
export type Move = { say?: string | undefined; call?: Call[] | undefined };

export type Script = { name: string; purpose: string; move: (turn: Turn) => Move };

export const turnOf = ({ messages, tools = [], tool_choice }: ChatRequest): Turn => {
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  const since = messages.slice(lastUser + 1);
  const chosen = typeof tool_choice === 'object' ? tool_choice.function.name : undefined;
  const offered = chosen === undefined ? tools : tools.filter((tool) => tool.function.name === chosen);
  return {
    messages,
    tools: tool_choice === 'none' ? [] : offered,
    said: since.filter(({ role }) => role === 'assistant').length,
    results: since.flatMap((message) => (message.role === 'tool' ? [textOf(message)] : [])),
    outside: messages
      .flatMap((message) => (['user', 'tool'].includes(message.role) ? [textOf(message)] : []))
      .join('\n'),
  };
};
