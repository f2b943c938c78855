import type { Accounts } from '#accounts';
import type { Rehearsed } from '#effects';
import { isNamedIn } from '../autopilot.ts';
import { type Performer } from '../perform.ts';
import { parseInput } from '../step-input.ts';
import { compile, fill, showPath } from '../templates/index.ts';
import type { CompiledTool } from '../versions.ts';
import { readInputs } from './inputs.ts';
import { chooseFor, defaultsOf } from './program.ts';
import { ofStep } from './step-fault.ts';

/** One step of a dry run. */
export type RehearsedStep = {
  key: string;
  step: string;
  account: { id: string; name: string };
  /** What the step would be given; `undefined` when that is not known yet. */
  input: Record<string, unknown> | undefined;
  wrote: Rehearsed | undefined;
  /** Steps whose answers, which only a real run has, decide what this one does. */
  needs: string[];
};

/** Plays a tool without writing: reads are made, writes are shown, and what depends on a write is left open. */
export const rehearseTool = async (
  { accounts, performer }: { accounts: Accounts; performer: Performer },
  { workspaceId, endUserId, isByModel }: { workspaceId: string; endUserId: string | undefined; isByModel: boolean },
  tool: CompiledTool,
  given: Record<string, unknown>,
): Promise<RehearsedStep[]> => {
  const values = readInputs(tool.inputs, given);
  const steps: Record<string, unknown> = {};

  const play = async (step: CompiledTool['plan'][number]): Promise<RehearsedStep> => {
    const definition = performer.stepOf(step.step);
    const where = { workspaceId, endUserId, place: step.key, inputs: tool.inputs, values };
    const account = await chooseFor(accounts, where, definition, step.account);
    const { id, name } = account;
    const shown = { key: step.key, step: step.step, account: { id, name } };
    const asked = compile(step.input, step.place).placeholders.map(({ path }) => path);
    const needs = asked.filter(([root, key]) => root === 'steps' && !Object.hasOwn(steps, String(key))).map(showPath);
    if (needs.length > 0) return { ...shown, input: undefined, wrote: undefined, needs: [...new Set(needs)] };
    const filled = fill(step.template, { inputs: values, steps }, step.place);
    const input = parseInput(definition, filled, step.place);
    const fixed = [...defaultsOf(tool.inputs), step.template];
    const mayLoad = isByModel ? async (address: string) => isNamedIn(address, fixed) : undefined;
    const answer = await performer.rehearse({ workspaceId, endUserId, step: definition, account, input, mayLoad });
    if ('output' in answer) steps[step.key] = { output: JSON.parse(JSON.stringify(answer.output ?? null)) };
    return { ...shown, input, wrote: 'wrote' in answer ? answer.wrote : undefined, needs: [] };
  };

  const played: RehearsedStep[] = [];
  for (const step of tool.plan) {
    const one = await play(step).catch((error: unknown) => {
      throw ofStep(error, step);
    });
    played.push(one);
  }
  return played;
};
