import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SwitchboardError, Tool } from '../../../../client/src/index.ts';
import { api } from '../../data/api.ts';
import { refresh } from '../../data/use-read.ts';
import { type FieldProblem, problemsOf } from '../../forms/problems.ts';
import { type Draft, toBody } from './draft.ts';
import { missingIn, mistakesBesides } from './mistakes-in.ts';

/** Whether somebody saved another version meanwhile. */
const isStale = (failure: unknown): boolean => {
  const { status, details } = failure as SwitchboardError;
  return status === 409 && typeof (details as { version?: unknown } | undefined)?.version === 'number';
};

class Unreadable extends Error {
  override message =
    'A field holds text that is not JSON yet, or a name twice. Correct or empty it, so that it is not left out.';
}

/** Saves a draft: mistakes come back with their places, and a newer version of somebody else is not overwritten. */
export const useSave = ({
  draft,
  base,
  version,
}: {
  draft: Draft;
  base: Tool | undefined;
  version?: number | undefined;
}) => {
  const queries = useQueryClient();
  const [problems, setProblems] = useState<FieldProblem[]>([]);
  const [error, setError] = useState<unknown>(null);
  const [conflict, setConflict] = useState<Tool>();
  const [isSaving, setIsSaving] = useState(false);

  const refuse = (found: FieldProblem[], why: unknown) => {
    setProblems(found);
    setError(why);
    requestAnimationFrame(() => document.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
  };

  const write = async (over: boolean): Promise<Tool | undefined> => {
    if (base === undefined) return api.call('POST /v1/tools', { body: toBody(draft) });
    const params = { id: base.id };
    const now = over ? await api.call('GET /v1/tools/{id}', { params }) : base;
    const expected = over || version === undefined ? {} : { version };
    try {
      return await api.call('PATCH /v1/tools/{id}', { params, body: { ...toBody(draft, now), ...expected } });
    } catch (failure) {
      if (!isStale(failure)) throw failure;
      setConflict(await api.call('GET /v1/tools/{id}', { params }));
      return undefined;
    }
  };

  const save = async ({ over = false } = {}): Promise<Tool | undefined> => {
    setConflict(undefined);
    const isUnreadable = document.querySelector('[data-unreadable]') !== null;
    const missing = missingIn(draft);
    setIsSaving(true);
    try {
      if (isUnreadable || missing.length > 0) {
        refuse([...missing, ...(await mistakesBesides(draft, missing))], isUnreadable ? new Unreadable() : null);
        return undefined;
      }
      const tool = await write(over);
      if (tool === undefined) return undefined;
      setProblems([]);
      setError(null);
      await refresh(queries, ['tools']);
      return tool;
    } catch (failure) {
      // The sign-in page comes; the draft is kept meanwhile.
      if ((failure as SwitchboardError).status === 401)
        await queries.invalidateQueries({ queryKey: ['GET /v1/session'] });
      const found = problemsOf(failure);
      refuse(found, found.length > 0 ? null : failure);
      return undefined;
    } finally {
      setIsSaving(false);
    }
  };
  const clearProblems = () => {
    setProblems([]);
    setError(null);
  };
  return { save, problems, clearProblems, error, conflict, setConflict, isSaving };
};
