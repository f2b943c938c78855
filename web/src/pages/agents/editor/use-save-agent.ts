import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Agent, NewAgent, SavedAgent, SwitchboardError } from '../../../../../client/src/index.ts';
import { api } from '../../../data/api.ts';
import { refresh } from '../../../data/use-read.ts';
import { useToast } from '../../../ui/toast.tsx';

/** Makes or changes an agent. A new one is opened; a secret is shown before. */
export const useSaveAgent = (id: string | undefined, onSaved: (agent: Agent) => void) => {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { say } = useToast();
  const [saved, setSaved] = useState<SavedAgent>();
  const open = (agentId: string) =>
    navigate({ to: `/agents/${agentId}`, search: { made: 'scratch' }, ignoreBlocker: true });

  const write = useMutation<SavedAgent, SwitchboardError, NewAgent>({
    mutationFn: (body) =>
      id === undefined
        ? api.call('POST /v1/agents', { body })
        : api.call('PATCH /v1/agents/{id}', { params: { id }, body }),
    onSuccess: async (agent) => {
      setSaved(agent);
      onSaved(agent);
      say(id === undefined ? `${agent.name} is made.` : `Saved as version ${agent.version}.`);
      await refresh(queries, ['agents', 'overview', 'triggers']);
      if (id === undefined && agent.secret === undefined) await open(agent.id);
    },
  });
  return {
    mutate: write.mutate,
    isPending: write.isPending,
    error: write.error,
    secret: saved?.secret,
    /** The secret was taken along. */
    leave: () => {
      setSaved(undefined);
      if (id === undefined && saved !== undefined) void open(saved.id);
    },
  };
};
