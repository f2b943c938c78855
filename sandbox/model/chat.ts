import { z } from 'zod';

/** The part of the chat completions contract the scripts look at; whatever else is sent is let through unread. */
const TextPart = z.looseObject({ type: z.string(), text: z.string().optional() });
const Content = z.union([z.string(), z.array(TextPart), z.null()]).optional();

const ToolCall = z.looseObject({
  id: z.string(),
  type: z.literal('function').default('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

const Message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.literal('system'), content: Content }),
  z.looseObject({ role: z.literal('developer'), content: Content }),
  z.looseObject({ role: z.literal('user'), content: Content }),
  z.looseObject({ role: z.literal('assistant'), content: Content, tool_calls: z.array(ToolCall).optional() }),
  z.looseObject({ role: z.literal('tool'), content: Content, tool_call_id: z.string() }),
]);
export type Message = z.infer<typeof Message>;

const Tool = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({
    name: z.string().regex(/^[\w-]{1,64}$/, "must match '^[a-zA-Z0-9_-]+$', at most 64 characters"),
    description: z.string().optional(),
    parameters: z.record(z.string(), z.unknown()).optional(),
  }),
});
export type Tool = z.infer<typeof Tool>;

const ToolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.looseObject({ type: z.literal('function'), function: z.object({ name: z.string() }) }),
]);

export const ChatRequest = z.looseObject({
  model: z.string().min(1),
  messages: z.array(Message).min(1),
  tools: z.array(Tool).max(128).optional(),
  tool_choice: ToolChoice.optional(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  n: z.literal(1).nullish(),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

export const textOf = ({ content }: { content?: z.infer<typeof Content> }): string => {
  if (content === undefined || content === null) return '';
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('\n');
};

/** A mistake of order the real service refuses too: each tool call is answered before anything else is said. */
export const unansweredCall = (messages: Message[]): string | undefined => {
  let open = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id))
        return "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.";
      continue;
    }
    const [missing] = open;
    if (missing !== undefined)
      return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`;
    open = new Set(message.role === 'assistant' ? message.tool_calls?.map(({ id }) => id) : []);
  }
  return open.size === 0 ? undefined : `Tool calls without an answer: ${[...open].join(', ')}`;
};
