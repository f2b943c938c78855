import { afterAll, beforeAll, expect } from 'vitest';
import { type Workbench, workbench } from './workbench.ts';

/** Steps of boards, run over HTTP as one account: a file's own house, whose budget of calls no other file spends. */
export const boardSteps = () => {
  let bench: Workbench;
  let accountId: string;
  beforeAll(async () => {
    bench = await workbench();
    bench.board.limits.off = true;
    accountId = await bench.connectBoard();
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  const call = async (step: string, input: unknown) => {
    const { status, body } = await bench.owned('POST', `/v1/steps/board.${step}/run`, { accountId, input });
    return { ...body, status };
  };
  return {
    get bench() {
      return bench;
    },
    get accountId() {
      return accountId;
    },
    call,
    run: async (step: string, input: unknown) => {
      const answer = await call(step, input);
      expect(answer).toMatchObject({ status: 200 });
      return answer.output;
    },
    label: (name: string) => bench.board.labels().find((one) => one.name === name)?.id ?? '',
  };
};
