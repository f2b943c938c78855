import { showPath } from '../templates/path.ts';
import { compile } from '../templates/template.ts';

/** The parts of an event's data that an agent's inputs take, each once: as it is written, and as a path within the data. */
export const takenFromEvent = (input: Record<string, unknown>): { text: string; path: (string | number)[] }[] => {
  const taken = compile(input, 'runner.input').placeholders.flatMap(({ path }) => {
    const [root, part, ...rest] = path;
    return root === 'event' && part === 'data' ? [[`{{${showPath(path)}}}`, rest] as const] : [];
  });
  return [...new Map(taken)].map(([text, path]) => ({ text, path }));
};
