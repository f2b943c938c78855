import { parseSync } from 'vite';
import { type Change, changesOf } from './changes-of.ts';
import { childrenOf, isNode, type Node } from './syntax.ts';

/** One changed place in one file. */
export type Mutant = Change & { file: string; line: number; was: string };

const allIn = (node: Node): Node[] => [node, ...childrenOf(node).flatMap(allIn)];

/** Every mutant of a file, each once. */
export const mutantsOf = (file: string, source: string): Mutant[] => {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0 || !isNode(program)) throw new Error(`${file} cannot be read.`);
  const found = new Map<string, Mutant>();
  for (const change of allIn(program).flatMap((node) => changesOf(node, source))) {
    const { start, end, text } = change;
    const was = source.slice(start, end);
    const line = source.slice(0, start).split('\n').length;
    const key = `${start} ${end} ${text}`;
    if (was !== text && !found.has(key)) found.set(key, { ...change, file, line, was });
  }
  return [...found.values()];
};

export const applied = (source: string, { start, end, text }: Change): string =>
  source.slice(0, start) + text + source.slice(end);
