import type { ModelProvider } from '../definition.ts';

/** One use of a tool as the model asked for it; `n` is its running number in the run. */
export type Asked = { n: number; name: string; arguments: string };

/** What a tool call came to, as the model is told. */
export type Told =
  | { output: unknown; warnings?: readonly string[] | undefined }
  | { error: { code: string; message: string; candidates?: unknown[] | undefined } };

/** One answer of the model. */
export type Said = {
  text: string;
  calls: { name: string; arguments: string }[];
  /** As the provider names it. */
  model: string;
  inputTokens: number;
  outputTokens: number;
  /** The provider ended it before the model did. */
  cut: boolean;
};

export type Exchange = { text: string; calls: readonly { asked: Asked; told: Told }[] };

export type OfferedTool = { name: string; description: string; schema: Record<string, unknown> };

/** All that one turn is made of. */
export type Question = {
  system: string;
  task: string;
  before: readonly Exchange[];
  tools: readonly OfferedTool[];
};

export type Endpoint = {
  provider: ModelProvider;
  baseUrl: string;
  model: string;
  apiKey: string | undefined;
};

/** Asks a model once. Nothing is written anywhere by it, so it may be asked again. */
export type AskModel = (
  endpoint: Endpoint,
  question: Question,
  deadlineMs: number,
  cancelled?: AbortSignal,
) => Promise<Said>;
