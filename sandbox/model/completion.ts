import { randomBytes } from 'node:crypto';
import type { ChatRequest } from './chat.ts';
import type { Move } from './script.ts';

/** Says on every answer that nothing here thinks. */
const model = 'sandbox-script';
const fingerprint = (script: string): string => `fp_script_not_a_model_${script.replaceAll('-', '_')}`;
const newId = (prefix: string): string => prefix + randomBytes(12).toString('hex');
const tokens = (text: string): number => Math.ceil(text.length / 4);

const written = (move: Move) =>
  (move.call ?? []).map(({ name, arguments: given }) => ({
    id: newId('call_'),
    type: 'function' as const,
    function: { name, arguments: typeof given === 'string' ? given : JSON.stringify(given) },
  }));

type Said = {
  id: string;
  created: number;
  script: string;
  content: string | null;
  calls: ReturnType<typeof written>;
  usage: object;
};

export const said = (request: ChatRequest, move: Move, script: string, now: number): Said => {
  const calls = written(move);
  const prompt = tokens(JSON.stringify(request.messages) + JSON.stringify(request.tools ?? []));
  const completion = tokens((move.say ?? '') + (calls.length === 0 ? '' : JSON.stringify(calls)));
  return {
    id: newId('chatcmpl-'),
    created: Math.floor(now / 1000),
    script,
    content: move.say ?? (calls.length === 0 ? '' : null),
    calls,
    usage: {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
    },
  };
};

const finish = ({ calls }: Said): string => (calls.length === 0 ? 'stop' : 'tool_calls');

export const completion = (answer: Said) => ({
  id: answer.id,
  object: 'chat.completion',
  created: answer.created,
  model,
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: answer.content,
        refusal: null,
        ...(answer.calls.length === 0 ? {} : { tool_calls: answer.calls }),
      },
      logprobs: null,
      finish_reason: finish(answer),
    },
  ],
  usage: answer.usage,
  system_fingerprint: fingerprint(answer.script),
});

const pieces = (text: string): string[] => text.match(/[^]{1,12}/g) ?? [];

/** The same answer in the pieces a stream carries. */
export const chunks = (answer: Said, withUsage: boolean): object[] => {
  const frame = {
    id: answer.id,
    object: 'chat.completion.chunk',
    created: answer.created,
    model,
    system_fingerprint: fingerprint(answer.script),
  };
  const chunk = (delta: object, reason: string | null = null) => ({
    ...frame,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
    ...(withUsage ? { usage: null } : {}),
  });
  return [
    chunk({ role: 'assistant', content: answer.content === null ? null : '', refusal: null }),
    ...pieces(answer.content ?? '').map((content) => chunk({ content })),
    ...answer.calls.flatMap(({ id, type, function: { name, arguments: given } }, index) => [
      chunk({ tool_calls: [{ index, id, type, function: { name, arguments: '' } }] }),
      ...pieces(given).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    chunk({}, finish(answer)),
    ...(withUsage ? [{ ...frame, choices: [], usage: answer.usage }] : []),
  ];
};
