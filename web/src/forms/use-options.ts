import { useQueries } from '@tanstack/react-query';
import type { Option } from '../../../client/src/index.ts';
import { api } from '../data/api.ts';
import { type FormScope, useForm } from './form-context.tsx';
import { isRecord, type Schema, shapeOf } from './schema.ts';
import { isTemplate } from './variables.ts';

const given = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter(
    (each): each is string => typeof each === 'string' && each !== '' && !isTemplate(each),
  );

/** The drop-down that a field, or each line of it, is chosen from. */
export const pickerOf = (field: Schema): string | undefined => {
  const shape = shapeOf(field);
  const inner = shape.kind === 'list' ? shapeOf(shape.items) : shape;
  return inner.kind === 'picker' ? inner.picker : undefined;
};

/** What is chosen so far, and from what. */
type Choosing = Pick<FormScope, 'schema' | 'value' | 'integration' | 'scope'>;

/** The boards that the form names; where the list lies on another board, that one. */
const boardsIn = ({ schema, value, scope }: Choosing, picker: string): string[] => {
  const fields = Object.entries(schema.properties ?? {}).filter(([, field]) => pickerOf(field) === 'boards');
  const named = fields
    .map(([name]) => ({ name, boards: given(value[name]) }))
    .filter(({ boards }) => boards.length > 0);
  const target = picker === 'lists' ? named.find(({ name }) => name === 'toBoard') : undefined;
  const found = (target ?? named.find(({ name }) => name !== 'toBoard'))?.boards ?? [];
  return found.length > 0 ? found : given(scope.board);
};

const ofNoBoard = new Set(['boards', 'workspaces', 'activity_types', 'notification_types']);

/** What narrows a drop-down: one question for each board, or the field that has to be chosen before. */
export const narrowingOf = (
  form: Choosing,
  picker: string,
): { asks: Record<string, string>[] } | { needs: 'board' | 'card' } => {
  const { value, schema, integration } = form;
  if (integration !== 'board') {
    const [mailbox] = given(value.mailbox ?? form.scope.mailbox);
    return { asks: [mailbox === undefined ? {} : { mailbox }] };
  }
  if (ofNoBoard.has(picker)) return { asks: [{}] };
  const boards = boardsIn(form, picker);
  if (picker === 'checklists') {
    const [cardId] = given(isRecord(value) && schema.properties?.cardId !== undefined ? value.cardId : form.scope.card);
    const [board] = boards;
    return cardId === undefined ? { needs: 'card' } : { asks: [{ cardId, ...(board === undefined ? {} : { board }) }] };
  }
  return boards.length === 0 ? { needs: 'board' } : { asks: boards.map((board) => ({ board })) };
};

/** What is asked for a drop-down. */
export const ask = (picker: string, accountId: string, query: Record<string, string>) => ({
  queryKey: ['GET /v1/options', picker, accountId, query],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    api.call('GET /v1/options/{id}', { params: { id: picker }, query: { accountId, ...query }, signal }),
  staleTime: 60_000,
});

/** The values of a drop-down as the account sees them, over all that narrows it. */
export const useOptions = (picker: string, asks: readonly Record<string, string>[], enabled: boolean) => {
  const { accountId = '' } = useForm();
  return useQueries({
    queries: asks.map((query) => ({ ...ask(picker, accountId, query), enabled: enabled && accountId !== '' })),
    combine: (answers) => ({
      options: dedupe(answers.flatMap(({ data }) => data?.items ?? [])),
      isPending: answers.some(({ isLoading }) => isLoading),
      error: answers.find(({ error }) => error !== null)?.error ?? null,
      retry: () => void Promise.all(answers.map(({ refetch }) => refetch())),
    }),
  });
};

const dedupe = (options: Option[]): Option[] => [...new Map(options.map((each) => [each.value, each])).values()];
