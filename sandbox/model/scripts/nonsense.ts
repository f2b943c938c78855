import type { Move, Script, Turn } from '../script.ts';

/** Each turn another kind of broken answer, then words that mean nothing. */
const blunders: ((turn: Turn) => Move)[] = [
  () => ({ call: [{ name: 'launch_rocket', arguments: { target: 'moon' } }] }),
  ({ tools }) => ({
    call: [{ name: tools[0]?.function.name ?? 'send', arguments: '{"to": ["ada@sandbox.test", "subject"' }],
  }),
  ({ tools }) => ({ call: [{ name: tools[0]?.function.name ?? 'send', arguments: 'null' }] }),
  ({ tools }) => ({
    call: [
      { name: tools[0]?.function.name ?? 'send', arguments: { to: 42, subject: ['a'], body: { no: true }, extra: 1 } },
    ],
  }),
  () => ({ call: [{ name: '', arguments: '' }] }),
  ({ tools }) => ({
    say: 'Calling two at once.',
    call: [
      { name: 'does_not_exist', arguments: {} },
      { name: tools.at(-1)?.function.name ?? 'send', arguments: '[]' },
    ],
  }),
];

export const nonsense: Script = {
  name: 'nonsense',
  purpose: 'Calls unknown tools, sends malformed and ill-typed arguments, then talks gibberish.',
  move: (turn) =>
    blunders[turn.said]?.(turn) ?? { say: 'Colourless green ideas sleep furiously. \u0000\ufffd {"tool":' },
};
