import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { Identity } from './auth.ts';
import type { Files } from './files.ts';
import type { Gathering } from './gathering.ts';
import type { Effect, Upstream, UpstreamRequest } from './upstream.ts';

/** A write that an interrupted execution of the same step came to: what it asked for, and since when it may have happened. */
export type Begun = Pick<UpstreamRequest, 'method' | 'path' | 'body'> & { isDone: boolean; since: Date };

/** What a step is given to make its calls. */
export type StepContext = {
  upstream: Upstream;
  /** The account it runs as. */
  account: { id: string; name: string; identity: Identity; scopes: readonly string[] };
  files: Files;
  now: Date;
  /**
   * What an interrupted execution has written or may have, in that order. It composed that by what the service held before:
   * by now a name may mean something else, and what was to be changed is so already.
   */
  begun?: readonly Begun[];
  /**
   * What the service held before the step wrote anything: what `read` finds, or found before an interruption. It is kept
   * with the next write.
   */
  before<Held extends z.ZodType>(held: Held, read: () => Promise<z.output<Held>>): Promise<z.output<Held>>;
  /**
   * Refuses to go on unless the account was granted one of each of these, with the way to ask for it: for what only some
   * inputs of a step need.
   */
  require(scopes: readonly (readonly string[])[]): void;
  /** Tells the caller something beside the output, such as a fallback that was taken. */
  warn(text: string): void;
  /**
   * A name for the n-th thing this run makes that never changes, however often the run is resumed: a transaction id, or
   * a mark by which the thing is found again.
   */
  mark(n: number): string;
};

/**
 * What a look for an earlier, uncertain write is given. `since` is when that write was intended, `held` what the step had
 * found before it wrote.
 */
export type FindContext = StepContext & { since: Date; request: UpstreamRequest; held?: unknown };

/**
 * What a look found out. `made`: these may be what it made; the first that no other effect claims is taken, and none
 * means that it did not happen. `unclear`: the service cannot tell yet.
 */
export type Verdict =
  | {
      made: readonly unknown[];
      /** Reads one of them, where `made` only names them: of many that look alike, only the one that is taken is read. */
      whole?: ((id: string) => Promise<unknown>) | undefined;
    }
  | 'unclear';

type Described = {
  /** The last part of the step's id: `create_card` in `board.create_card`. */
  name: string;
  title: string;
  group: string;
  purpose: string;
  /** What the step as a whole does, for lists and hints; each request is judged again on the wire. */
  effect: Effect;
  /** What the account must have been granted, in the integration's short spelling; of each list, one is enough. */
  scopes?: readonly (readonly string[])[];
  /** The caller's own request: judged on the wire alone, and a spent budget is told at once instead of waited for. */
  passThrough?: boolean;
  /** Its cursors say themselves what they are of, because another step gives them, too. */
  ownCursors?: boolean;
  /** Of these fields at least one must be given, or there is nothing to do: refused at once, and when a tool is saved. */
  needsOneOf?: { fields: readonly string[]; otherwise: string };
  /** Set when another step should be used instead; says which. */
  deprecated?: string;
};

/** A step as the house handles it, whatever its input. */
export type Step = Described & {
  input: z.ZodObject;
  output: z.ZodType;
  /** What came of it, in one sentence. */
  summary(output: unknown): string;
  /** For a step that writes something down before it sends: whether it will send. Asked before the first write. */
  sends?(input: unknown): boolean;
  /**
   * Refuses what several fields say together, naming all of them: before anything else, and when a tool is saved, as far
   * as they are known by then.
   */
  check?(input: unknown): void;
  /** The input with references of stored files in place of what was given by address or as text. */
  gather?(input: unknown, gathering: Gathering): Promise<unknown>;
  run(input: unknown, context: StepContext): Promise<unknown>;
  /** Finds out whether an earlier, uncertain write happened, so that nothing is made twice. Absent: it ends as unknown. */
  find?(input: unknown, context: FindContext): Promise<Verdict>;
};

/** The fields of an input but those that only say what it is about. */
export const allBut = <Shape extends z.ZodRawShape>(
  { shape }: z.ZodObject<Shape>,
  ...about: (keyof Shape & string)[]
): readonly string[] => Object.keys(shape).filter((name) => !about.includes(name));

/** Whether a field is there and not what it is when it is left out. */
const isGiven = ({ input }: Pick<Step, 'input'>, name: string, value: unknown): boolean =>
  !isDeepStrictEqual(value, input.shape[name]?.safeParse(undefined).data);

/** What there is to say of an input in which nothing was given. */
export const nothingGiven = (
  step: Pick<Step, 'input' | 'needsOneOf'>,
  input: Readonly<Record<string, unknown>>,
): string | undefined =>
  step.needsOneOf?.fields.some((name) => isGiven(step, name, input[name])) ? undefined : step.needsOneOf?.otherwise;

/** A step says what it is and makes its calls. Signing, pacing, retrying and parsing happen around it. */
export const defineStep = <Input extends z.ZodObject, Output extends z.ZodType>(
  step: Described & {
    input: Input;
    output: Output;
    summary(output: z.output<Output>): string;
    sends?(input: z.output<Input>): boolean;
    check?(input: z.output<Input>): void;
    gather?(input: z.output<Input>, gathering: Gathering): Promise<z.output<Input>>;
    run(input: z.output<Input>, context: StepContext): Promise<unknown>;
    find?(input: z.output<Input>, context: FindContext): Promise<Verdict>;
  },
): Step => step;
