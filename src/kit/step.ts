import type { z } from 'zod';
import type { Effect, Upstream, UpstreamRequest } from './upstream.ts';

/** What a step is given to make its call. */
export type StepContext = { upstream: Upstream };

/** What a look for an earlier, uncertain write is given. `since` is when that write was intended. */
export type FindContext = { upstream: Upstream; since: Date; request: UpstreamRequest };

type Described = {
  /** The last part of the step's id: `create_card` in `board.create_card`. */
  name: string;
  title: string;
  group: string;
  purpose: string;
  /** What the step as a whole does, for lists and hints; each request is judged again on the wire. */
  effect: Effect;
  /** Set when another step should be used instead; says which. */
  deprecated?: string;
};

/** A step as the house handles it, whatever its input. */
export type Step = Described & {
  input: z.ZodObject;
  output: z.ZodType;
  run(input: unknown, context: StepContext): Promise<unknown>;
  /** Finds what an earlier, uncertain attempt made, so that nothing is made twice. Absent: such a write ends as unknown. */
  find?(input: unknown, context: FindContext): Promise<unknown[]>;
};

/** A step says what it is and makes its call. Signing, pacing, retrying and parsing happen around it. */
export const defineStep = <Input extends z.ZodObject, Output extends z.ZodType>(
  step: Described & {
    input: Input;
    output: Output;
    run(input: z.output<Input>, context: StepContext): Promise<unknown>;
    find?(input: z.output<Input>, context: FindContext): Promise<unknown[]>;
  },
): Step => step;
