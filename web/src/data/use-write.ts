import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer, Arguments, Request, Routes, SwitchboardError } from '../../../client/src/index.ts';
import { useToast } from '../ui/toast.tsx';
import { api } from './api.ts';
import { refresh } from './use-read.ts';

type Writing = Exclude<keyof Routes, `GET ${string}`>;

/** A change: what it touches is looked at again, and a refusal is told unless the caller shows `error` itself. */
export const useWrite = <R extends Writing>(
  route: R,
  options: {
    /** Words of the API to look at again, e.g. `accounts`. */
    refresh?: readonly string[];
    /** Said when it is done. */
    done?: string;
    /** The form shows the refusal itself. */
    quiet?: boolean;
  } = {},
) => {
  const queries = useQueryClient();
  const { say } = useToast();
  return useMutation<Answer<R>, SwitchboardError, Request<R>>({
    mutationFn: (given) => api.call(route, ...([given] as unknown as Arguments<R>)),
    onSuccess: async () => {
      if (options.done !== undefined) say(options.done);
      await refresh(queries, options.refresh ?? []);
    },
    onError: (error) => {
      if (options.quiet !== true) say(error.message, 'bad');
    },
  });
};
