import { factsOf } from '../facts.ts';
import { fillArguments } from '../fill-arguments.ts';
import type { Script } from '../script.ts';

export const restless: Script = {
  name: 'restless',
  purpose: 'Calls the first tool again and again and never ends by itself: for tests of limits.',
  move: ({ tools: [tool], outside, said }) => {
    if (tool === undefined) return { say: 'There is nothing to call.' };
    const facts = factsOf(outside);
    const intent = { to: [facts.sender], subject: facts.subject, body: `Attempt ${said + 1}`, facts };
    return { call: [{ name: tool.function.name, arguments: fillArguments(tool.function.parameters, intent) }] };
  },
};
