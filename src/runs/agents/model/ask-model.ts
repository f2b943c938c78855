import { Fault } from '#kit';
import type { ModelFetch } from './model-fetch.ts';
import type { AskModel, Endpoint, Exchange, Question } from './port.ts';
import { resultText } from './prompt.ts';

type Generate = typeof import('@ai-sdk/openai-compatible').OpenAICompatibleChatLanguageModel.prototype.doGenerate;
type CallOptions = Parameters<Generate>[0];
type Prompt = CallOptions['prompt'];
type Answer = Awaited<ReturnType<Generate>>;

/** Of one answer; a provider that does not say how many it used is counted by the length of its words. */
const mostOutputTokens = 8_192;

type Providers = {
  'openai-compatible': typeof import('@ai-sdk/openai-compatible').createOpenAICompatible;
  anthropic: typeof import('@ai-sdk/anthropic').createAnthropic;
};

// Read when first needed: most processes never ask a model.
const load = {
  'openai-compatible': async () => (await import('@ai-sdk/openai-compatible')).createOpenAICompatible,
  anthropic: async () => (await import('@ai-sdk/anthropic')).createAnthropic,
} satisfies { [P in keyof Providers]: () => Promise<Providers[P]> };

const modelOf = async (
  { provider, baseUrl: baseURL, model, apiKey = '' }: Endpoint,
  fetch: typeof globalThis.fetch,
): Promise<{ doGenerate(options: CallOptions): PromiseLike<Answer> }> =>
  provider === 'anthropic'
    ? (await load.anthropic())({ baseURL, apiKey, fetch }).languageModel(model)
    : (await load['openai-compatible']())({ name: 'model', baseURL, fetch, ...(apiKey === '' ? {} : { apiKey }) })(
        model,
      );

// Names of tools that do not exist are told back to the model too, in letters that every provider takes.
const sayableName = (name: string): string => name.replaceAll(/[^\w-]/g, '_').slice(0, 64) || 'unnamed';

const objectIn = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
};

/** Calls are told by our own numbers: some providers repeat theirs. */
const exchanged = ({ text, calls }: Exchange): Prompt => {
  const named = calls.map(({ asked, told }) => ({
    toolCallId: `call_${asked.n}`,
    toolName: sayableName(asked.name),
    input: objectIn(asked.arguments),
    told,
  }));
  return [
    {
      role: 'assistant',
      content: [
        ...(text === '' ? [] : [{ type: 'text' as const, text }]),
        ...named.map(({ toolCallId, toolName, input }) => ({
          type: 'tool-call' as const,
          toolCallId,
          toolName,
          input,
        })),
      ],
    },
    {
      role: 'tool',
      content: named.map(({ toolCallId, toolName, told }) => ({
        type: 'tool-result' as const,
        toolCallId,
        toolName,
        output: { type: 'error' in told ? ('error-text' as const) : ('text' as const), value: resultText(told) },
      })),
    },
  ];
};

const promptOf = ({ system, task, before }: Question): Prompt => [
  { role: 'system', content: system },
  { role: 'user', content: [{ type: 'text', text: task }] },
  ...before.flatMap(exchanged),
];

const guessed = (text: string): number => Math.ceil(text.length / 4);

export const createAskModel = (options: { fetch: ModelFetch; stopping: AbortSignal }): AskModel => {
  const { stopping } = options;

  return async (endpoint, question, deadlineMs, cancelled) => {
    const timeout = AbortSignal.timeout(deadlineMs);
    const abortSignal = AbortSignal.any([timeout, stopping, ...(cancelled === undefined ? [] : [cancelled])]);
    // The library wraps what its fetch throws.
    let failure: Fault | undefined;
    const fetch: typeof globalThis.fetch = async (url, init) => {
      try {
        // Our own undici's, whose types differ from the global ones in name only.
        return await options.fetch.call(
          url instanceof Request ? url.url : url.toString(),
          (init ?? {}) as never,
          endpoint.apiKey,
        );
      } catch (error) {
        if (error instanceof Fault) failure = error;
        throw error;
      }
    };
    const prompt = promptOf(question);
    const tools = question.tools.map(({ name, description, schema }) => ({
      type: 'function' as const,
      name,
      description,
      inputSchema: schema,
    }));
    let answer: Answer;
    try {
      const model = await modelOf(endpoint, fetch);
      answer = await model.doGenerate({
        prompt,
        abortSignal,
        ...(tools.length === 0 ? {} : { tools, toolChoice: { type: 'auto' as const } }),
        // Servers disagree about this setting's name, so it is only sent where it must be.
        ...(endpoint.provider === 'anthropic' ? { maxOutputTokens: mostOutputTokens } : {}),
      });
    } catch {
      cancelled?.throwIfAborted();
      if (failure !== undefined) throw failure;
      if (stopping.aborted) throw new Fault('unavailable', 'This process is stopping; the run goes on in another.');
      if (timeout.aborted) throw new Fault('upstream_unavailable', 'The model did not answer in time.');
      // What the library knows of the request stays here: it holds what the agent read.
      throw new Fault(
        'upstream_unavailable',
        'The model provider could not be reached, or answered in no way we know.',
      );
    }
    const text = answer.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    const calls = answer.content.flatMap((part) =>
      part.type === 'tool-call' ? [{ name: part.toolName, arguments: part.input }] : [],
    );
    return {
      text,
      calls,
      model: answer.response?.modelId ?? endpoint.model,
      inputTokens: answer.usage.inputTokens.total ?? guessed(JSON.stringify(prompt)),
      outputTokens: answer.usage.outputTokens.total ?? guessed(text + JSON.stringify(calls)),
      cut: answer.finishReason.unified === 'length',
    };
  };
};
