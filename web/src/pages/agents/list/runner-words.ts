import type { Agent, Tool } from '../../../../../client/src/index.ts';

/** What carries an agent out, in a few words. */
export const runnerWords = ({ runner }: Agent, tools: readonly Tool[]): string => {
  if (runner.type === 'tool') {
    const tool = tools.find(({ id }) => id === runner.toolId);
    return tool === undefined ? 'One tool, no model' : `Runs “${tool.name}”, no model`;
  }
  if (runner.type === 'model') return runner.model === undefined ? 'A model, as set for the workspace' : runner.model;
  return 'Webhook';
};
