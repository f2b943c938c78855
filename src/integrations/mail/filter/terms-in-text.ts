/** A beginning of a term: how it goes on, the longest other beginning that it ends with, and which term it is. */
type State = { onward: Map<number, State>; fallback: State | undefined; term: string | undefined; readIn: number };

const newState = (): State => ({ onward: new Map(), fallback: undefined, term: undefined, readIn: 0 });

const treeOf = (terms: readonly string[]): State => {
  const root = newState();
  for (const term of terms) {
    let state = root;
    for (let at = 0; at < term.length; at += 1) {
      const next = state.onward.get(term.charCodeAt(at)) ?? newState();
      state.onward.set(term.charCodeAt(at), next);
      state = next;
    }
    state.term = term;
  }
  return root;
};

/** From a state by one character: as long a beginning as ends there. */
const step = (root: State, from: State, code: number): State => {
  for (let state: State | undefined = from; state !== undefined; state = state.fallback) {
    const next = state.onward.get(code);
    if (next !== undefined) return next;
  }
  return root;
};

const complete = (root: State): void => {
  const queue = [root];
  for (const state of queue) {
    for (const [code, next] of state.onward) {
      next.fallback = state.fallback === undefined ? root : step(root, state.fallback, code);
      queue.push(next);
    }
  }
};

/**
 * Which of the terms stand in a text, in one reading of it: the automaton of Aho and Corasick by whole characters. Slower than
 * the index of many filters, but what it takes depends on neither the terms nor the text, whoever chose them.
 */
export const termsInText = (terms: readonly string[]): ((text: string) => ReadonlySet<string>) => {
  const root = treeOf(terms);
  complete(root);
  let reading = 0;
  return (text) => {
    reading += 1;
    const found = new Set<string>();
    let state = root;
    for (let at = 0; at < text.length; at += 1) {
      state = step(root, state, text.charCodeAt(at));
      // What a state ends with is told once.
      for (let each: State | undefined = state; each !== undefined && each.readIn !== reading; each = each.fallback) {
        each.readIn = reading;
        if (each.term !== undefined) found.add(each.term);
      }
    }
    return found;
  };
};
