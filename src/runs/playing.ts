import { z } from 'zod';
import { type Account, requireScopes } from '#accounts';
import type { Clock } from '#clock';
import { type Catalogue, type CatalogueStep, Fault, type StepContext } from '#kit';
import type { Log } from '#log';
import { markOf } from '#store';
import { memoryOf } from './before.ts';
import type { FileStore } from './files.ts';

/** An answer of another shape than the service's is the service's doing. What was written before it is known, or in doubt. */
const oddAnswer = (inDoubt: boolean): Fault =>
  inDoubt
    ? new Fault('outcome_unknown', 'The service answered in a way we do not know. It may have happened: look first.')
    : new Fault('upstream_unavailable', 'The service answered in a way we do not know; try again later.');

/** Each step of a run has so many numbers for its writes and marks. */
export const positions = 1_000;

export const marksFrom = (runId: string, from: number) => (n: number) => `${markOf(runId)}${from + n}`;

export type Stage = ReturnType<typeof createStage>;

/** Where a step is played, whether for good or only to see what it would do: what it is given, and how its answer is read. */
export const createStage = (options: { catalogue: Catalogue; files: FileStore; clock: Clock; log: Log }) => {
  const { catalogue, files, clock, log } = options;

  const contextOf = (
    where: {
      workspaceId: string;
      step: CatalogueStep;
      account: Account;
      endUserId?: string | undefined;
      mark: (n: number) => string;
      now?: Date;
      begun?: StepContext['begun'];
      before?: StepContext['before'];
    },
    warnings: string[],
  ): Omit<StepContext, 'upstream'> => {
    const { id, name, identity, scopes } = where.account;
    const endUserId = where.endUserId ?? where.account.endUserId;
    return {
      account: { id, name, identity, scopes },
      files: files.of(where.workspaceId, { accountId: id, endUserId }),
      now: where.now ?? clock.now(),
      require: (needed) => requireScopes(where.account, { integration: where.step.integration, scopes: needed }),
      warn: (text) => void warnings.push(text),
      mark: where.mark,
      begun: where.begun ?? [],
      before: where.before ?? memoryOf(undefined).before,
    };
  };

  const play = async (step: CatalogueStep, input: unknown, context: StepContext, inDoubt: () => boolean) => {
    try {
      return step.output.parse(await step.run(input, context));
    } catch (error) {
      if (!(error instanceof z.ZodError)) throw error;
      log.warn({ err: error, step: step.id }, 'the service answered in another shape than expected');
      throw oddAnswer(inDoubt());
    }
  };

  const stepOf = (id: string): CatalogueStep => {
    const step = catalogue.step(id);
    if (step === undefined)
      throw new Fault('not_found', `There is no step "${id}"; GET /v1/steps lists those there are.`);
    return step;
  };

  return { stepOf, contextOf, play };
};
