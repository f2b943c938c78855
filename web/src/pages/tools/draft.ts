import type { NewTool, Permission, StepSummary, Tool, ToolInput, ToolStep } from '../../../../client/src/index.ts';

/** A tool while it is being written. `uid` tells rows apart while names change; `was` is the name by which others still refer to the row. */
export type DraftInput = ToolInput & { uid: string; was?: string };
export type DraftStep = {
  uid: string;
  was?: string;
  key: string;
  step: string;
  account: ToolStep['account'];
  input: Record<string, unknown>;
  permission: Permission;
};
export type Draft = {
  name: string;
  description: string;
  inputs: DraftInput[];
  steps: DraftStep[];
  /** Undefined: what the last step answers. */
  output?: unknown;
};

/** How the types of inputs are called on the screen. */
export const typeWords: Record<ToolInput['type'], string> = {
  string: 'Text',
  number: 'Number',
  boolean: 'Yes or no',
  object: 'Object',
  array: 'List',
  account: 'Account',
};

let last = 0;
export const newUid = (): string => {
  last += 1;
  return `row-${Date.now()}-${last}`;
};

const answerOf = (step: { key: string } | undefined): string => `{{steps.${step?.key ?? ''}.output}}`;

export const emptyDraft: Draft = { name: '', description: '', inputs: [], steps: [] };

export const toDraft = ({ name, description, inputs, steps, output }: Tool): Draft => ({
  name,
  description,
  inputs: inputs.map((input) => ({ ...input, uid: newUid() })),
  steps: steps.map(({ key, step, account, input = {}, permission = 'approval' }) => ({
    uid: newUid(),
    key,
    step,
    account,
    input,
    permission,
  })),
  ...(output === undefined || output === answerOf(steps.at(-1)) ? {} : { output }),
});

const bare = <Row extends { uid: string; was?: string }>(row: Row): Omit<Row, 'uid' | 'was'> => {
  const { uid: _, was: __, ...rest } = row;
  return rest;
};

/** What is sent. An output once chosen cannot be taken back, so the last answer is then named. */
export const toBody = ({ inputs, steps, output, name, description }: Draft, before?: Tool): NewTool => ({
  name: name.trim(),
  description,
  inputs: inputs.map(bare),
  steps: steps.map(bare),
  ...(output === undefined ? (before?.output === undefined ? {} : { output: answerOf(steps.at(-1)) }) : { output }),
});

export const isSame = (one: Draft, other: Draft): boolean =>
  JSON.stringify(toBody(one)) === JSON.stringify(toBody(other));

const freeName = (wanted: string, taken: readonly string[]): string => {
  if (!taken.includes(wanted)) return wanted;
  for (let at = 2; ; at += 1) if (!taken.includes(`${wanted}_${at}`)) return `${wanted}_${at}`;
};

const keysOf = ({ steps }: Draft): string[] => steps.flatMap(({ key, was = key }) => [key, was]);

export const newStep = (draft: Draft, { id, integration }: Pick<StepSummary, 'id' | 'integration'>): DraftStep => {
  const key = freeName(id.slice(id.indexOf('.') + 1), keysOf(draft));
  // Most tools stay with one account of a service.
  const like = draft.steps.findLast((each) => each.step.startsWith(`${integration}.`));
  return { uid: newUid(), key, step: id, account: like?.account ?? { id: '' }, input: {}, permission: 'approval' };
};

export const copyOf = (draft: Draft, step: DraftStep): DraftStep => ({
  ...structuredClone(bare(step)),
  uid: newUid(),
  key: freeName(step.key, keysOf(draft)),
});

export const newInput = (draft: Draft, like: Partial<ToolInput> = {}): DraftInput => {
  const taken = draft.inputs.flatMap(({ name, was = name }) => [name, was]);
  return { uid: newUid(), type: 'string', required: true, ...like, name: freeName(like.name ?? 'input', taken) };
};

export const isWord = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name);

type Named = { name: string; was?: string | undefined };

/** Which names became which; not those that are no names yet, nor those that somebody else has. */
const renamedIn = (rows: readonly Named[]): ReadonlyMap<string, string> => {
  const referredTo = ({ was, name }: Named) => was ?? name;
  let ready = rows.filter((row) => isWord(row.name) && rows.every((each) => each === row || each.name !== row.name));
  for (let before = -1; before !== ready.length; ) {
    before = ready.length;
    const waiting = new Set(rows.filter((row) => !ready.includes(row)).map(referredTo));
    ready = ready.filter(({ name }) => !waiting.has(name));
  }
  return new Map(ready.map((row) => [referredTo(row), row.name] as const).filter(([was, name]) => was !== name));
};

type Renamed = Record<'inputs' | 'steps', ReadonlyMap<string, string>>;

/** Every placeholder names what it meant by its new name. */
const rewrite = <Value>(value: Value, renamed: Renamed): Value => {
  const text = JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'string'
      ? each.replaceAll(
          /(\{\{\s*)(inputs|steps)\.(\w+)(?=[.[\s}])/g,
          (whole, open: string, kind: keyof Renamed, name: string) => {
            const next = renamed[kind].get(name);
            return next === undefined ? whole : `${open}${kind}.${next}`;
          },
        )
      : each,
  );
  return text === undefined ? value : (JSON.parse(text) as Value);
};

const settledRow = <Row extends { was?: string }>(row: Row, renamed: ReadonlyMap<string, string>): Row => {
  if (row.was === undefined || !renamed.has(row.was)) return row;
  const { was: _, ...rest } = row;
  return rest as Row;
};

/**
 * The draft in which what refers to a row knows it by its new name. Apart from the typing, because a name on its way to another
 * may be nothing, or for a moment that of another row, whose references must stay its own.
 */
export const settled = (draft: Draft): Draft => {
  const inputs = renamedIn(draft.inputs);
  const steps = renamedIn(draft.steps.map(({ key: name, was }) => ({ name, was })));
  if (inputs.size + steps.size === 0) return draft;
  const renamed = { inputs, steps };
  return {
    ...draft,
    inputs: draft.inputs.map((input) => settledRow(input, inputs)),
    steps: draft.steps.map((step) => ({
      ...settledRow(step, steps),
      input: rewrite(step.input, renamed),
      account: 'input' in step.account ? { input: inputs.get(step.account.input) ?? step.account.input } : step.account,
    })),
    ...(draft.output === undefined ? {} : { output: rewrite(draft.output, renamed) }),
  };
};

/** Remembers the name by which others refer to it, until they follow. */
const known = (was: string | undefined, before: string, now: string): { was?: string } => {
  const name = was ?? before;
  return name === now || !isWord(name) ? {} : { was: name };
};

/** Where a row is changed: one that was renamed and is typed in again still waits, all others are settled before. */
const ground = (draft: Draft, row: { was?: string } | undefined): Draft =>
  row?.was === undefined ? settled(draft) : draft;

/** A new name for a step. */
export const renameStep = (draft: Draft, at: number, key: string): Draft => {
  const on = ground(draft, draft.steps[at]);
  const steps = on.steps.map(({ was, ...step }, index) => ({
    ...step,
    ...(index === at ? { key, ...known(was, step.key, key) } : was === undefined ? {} : { was }),
  }));
  return { ...on, steps };
};

export const changeInput = (draft: Draft, at: number, next: DraftInput): Draft => {
  const on = ground(draft, draft.inputs[at]);
  const { was: _, ...input } = next;
  const inputs = on.inputs.map((each, index) =>
    index === at ? { ...input, ...known(each.was, each.name, input.name) } : each,
  );
  return { ...on, inputs };
};

export const moved = <Row>(rows: readonly Row[], from: number, to: number): Row[] => {
  const row = rows[from];
  if (row === undefined || to < 0 || to >= rows.length) return [...rows];
  return rows.toSpliced(from, 1).toSpliced(to, 0, row);
};
