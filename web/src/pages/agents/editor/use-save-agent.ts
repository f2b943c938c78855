import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Agent, NewAgent, SavedAgent, SwitchboardError } from '../../../../../client/src/index.ts';
import { api } from '../../../data/api.ts';
import { refresh } from '../../../data/use-read.ts';
import { useWayOn } from '../../../data/use-way-on.ts';
import { useToast } from '../../../ui/toast.tsx';

/** Makes an agent, or changes the one `seen`: what somebody saved since is not overwritten. A new one is opened; a secret is shown before. */
export const useSaveAgent = (seen: Pick<Agent, 'id' | 'version'> | undefined, onSaved: (agent: Agent) => void) => {
  const queries = useQueryClient();
  const wayOn = useWayOn();
  const { say } = useToast();
  const [saved, setSaved] = useState<SavedAgent>();
  const open = (agentId: string, leadTo = wayOn()) =>
    leadTo({ to: `/agents/${agentId}`, search: { made: 'scratch' }, ignoreBlocker: true });

  const write = useMutation<SavedAgent, SwitchboardError, NewAgent, ReturnType<typeof wayOn>>({
    mutationFn: (body) =>
      seen === undefined
        ? api.call('POST /v1/agents', { body })
        : api.call('PATCH /v1/agents/{id}', { params: { id: seen.id }, body: { ...body, version: seen.version } }),
    onMutate: wayOn,
    // Then the form tells of the newer one.
    onError: ({ status }) => {
      if (status === 409) void refresh(queries, ['agents']);
    },
    onSuccess: async (agent, _, leadTo) => {
      setSaved(agent);
      onSaved(agent);
      if (seen === undefined) say(`${agent.name} is made.`);
      else if (agent.version === seen.version) say(`It was so already, as version ${agent.version}.`);
      else say(`Saved as version ${agent.version}.`);
      await refresh(queries, ['agents', 'overview', 'triggers']);
      if (seen === undefined && agent.secret === undefined) await open(agent.id, leadTo);
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
      if (seen === undefined && saved !== undefined) void open(saved.id);
    },
  };
};
