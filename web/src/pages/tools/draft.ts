import type { NewTool, Permission, StepSummary, Tool, ToolInput, ToolStep } from '../../../../client/src/index.ts';

/** A tool while it is being written. `uid` tells rows apart while names change. */
export type DraftInput = ToolInput & { uid: string };
export type DraftStep = {
  uid: string;
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

const withoutUid = <Row extends { uid: string }>(row: Row): Omit<Row, 'uid'> => {
  const { uid: _, ...rest } = row;
  return rest;
};

/** What is sent. An output once chosen cannot be taken back, so the last answer is then named. */
export const toBody = ({ inputs, steps, output, name, description }: Draft, before?: Tool): NewTool => ({
  name: name.trim(),
  description,
  inputs: inputs.map(withoutUid),
  steps: steps.map(withoutUid),
  ...(output === undefined ? (before?.output === undefined ? {} : { output: answerOf(steps.at(-1)) }) : { output }),
});

export const isSame = (one: Draft, other: Draft): boolean =>
  JSON.stringify(toBody(one)) === JSON.stringify(toBody(other));

const freeName = (wanted: string, taken: readonly string[]): string => {
  if (!taken.includes(wanted)) return wanted;
  for (let at = 2; ; at += 1) if (!taken.includes(`${wanted}_${at}`)) return `${wanted}_${at}`;
};

export const newStep = (draft: Draft, { id, integration }: Pick<StepSummary, 'id' | 'integration'>): DraftStep => {
  const key = freeName(
    id.slice(id.indexOf('.') + 1),
    draft.steps.map((step) => step.key),
  );
  // Most tools stay with one account of a service.
  const like = draft.steps.findLast((each) => each.step.startsWith(`${integration}.`));
  return { uid: newUid(), key, step: id, account: like?.account ?? { id: '' }, input: {}, permission: 'approval' };
};

export const copyOf = (draft: Draft, step: DraftStep): DraftStep => ({
  ...structuredClone(step),
  uid: newUid(),
  key: freeName(
    step.key,
    draft.steps.map(({ key }) => key),
  ),
});

export const newInput = (draft: Draft, like: Partial<ToolInput> = {}): DraftInput => {
  const taken = draft.inputs.map(({ name }) => name);
  return { uid: newUid(), type: 'string', required: true, ...like, name: freeName(like.name ?? 'input', taken) };
};

/** Every placeholder that begins with `from` begins with `to` afterwards. */
const rewrite = <Value>(value: Value, from: string, to: string): Value => {
  const place = new RegExp(`(\\{\\{\\s*)${from.replaceAll('.', '\\.')}(?=[.[\\s}])`, 'g');
  const text = JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'string' ? each.replaceAll(place, `$1${to}`) : each,
  );
  return text === undefined ? value : (JSON.parse(text) as Value);
};

const everywhere = (draft: Draft, from: string, to: string): Draft => ({
  ...draft,
  steps: draft.steps.map((step) => ({ ...step, input: rewrite(step.input, from, to) })),
  ...(draft.output === undefined ? {} : { output: rewrite(draft.output, from, to) }),
});

export const isWord = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name);

/** A new name for a step; what refers to it follows. */
export const renameStep = (draft: Draft, at: number, key: string): Draft => {
  const before = draft.steps[at]?.key ?? '';
  const steps = draft.steps.map((step, index) => (index === at ? { ...step, key } : step));
  const next = { ...draft, steps };
  return isWord(before) && isWord(key) ? everywhere(next, `steps.${before}`, `steps.${key}`) : next;
};

export const changeInput = (draft: Draft, at: number, input: DraftInput): Draft => {
  const before = draft.inputs[at]?.name ?? '';
  const { name } = input;
  const inputs = draft.inputs.map((each, index) => (index === at ? input : each));
  if (before === name) return { ...draft, inputs };
  const steps = draft.steps.map((step) =>
    'input' in step.account && step.account.input === before ? { ...step, account: { input: name } } : step,
  );
  const next = { ...draft, inputs, steps };
  return isWord(before) && isWord(name) ? everywhere(next, `inputs.${before}`, `inputs.${name}`) : next;
};

export const moved = <Row>(rows: readonly Row[], from: number, to: number): Row[] => {
  const row = rows[from];
  if (row === undefined || to < 0 || to >= rows.length) return [...rows];
  return rows.toSpliced(from, 1).toSpliced(to, 0, row);
};
