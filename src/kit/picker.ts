import type { z } from 'zod';
import type { StepContext } from './step.ts';

export type Option = {
  value: string;
  label: string;
  hint?: string | undefined;
  /** Where the value is a name that stands for it everywhere: its id, which may be kept as well. */
  id?: string | undefined;
};

type Context = Pick<StepContext, 'upstream' | 'account'>;

/** Values for a drop-down. Fields name theirs by `meta({ picker: 'lists' })`. */
export type Picker = {
  name: string;
  /** What narrows the choice, such as the board whose lists are shown. */
  query: z.ZodObject;
  options(query: Record<string, unknown>, context: Context): Promise<Option[]>;
  /** What of these values are called that it may offer no more, such as an archived list. What cannot be told is left out. */
  named?(
    values: readonly string[],
    query: Record<string, unknown>,
    context: Pick<Context, 'upstream'>,
  ): Promise<ReadonlyMap<string, string>>;
};

export const definePicker = <Query extends z.ZodObject>(picker: {
  name: string;
  query: Query;
  options(query: z.output<Query>, context: Context): Promise<Option[]>;
  named?(
    values: readonly string[],
    query: Partial<z.output<Query>>,
    context: Pick<Context, 'upstream'>,
  ): Promise<ReadonlyMap<string, string>>;
}): Picker => picker;
