import type { Tool } from '../chat.ts';

/** Tools that answer or send, replies before others, in the order they are offered. */
export const sendTools = (tools: Tool[]): Tool[] => {
  const named = (pattern: RegExp) => tools.filter((tool) => pattern.test(tool.function.name));
  return [...new Set([...named(/reply|respond|answer/i), ...named(/send|mail|comment|post|notify/i)])];
};
