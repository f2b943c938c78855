import type { Upstream } from '#kit';

/** Many triggers ask the service the same about one occurrence: it is asked once, and all of them get its answer. */
export const readingOnce = (upstream: Upstream): Upstream => {
  const answers = new Map<string, Promise<unknown>>();
  return {
    ...upstream,
    get: (path, options) => {
      const question = JSON.stringify([path, options]);
      const answer = answers.get(question) ?? upstream.get(path, options);
      answers.set(question, answer);
      return answer;
    },
  };
};
