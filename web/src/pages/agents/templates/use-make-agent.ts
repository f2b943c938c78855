import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SwitchboardError } from '../../../../../client/src/index.ts';
import { api } from '../../../data/api.ts';
import { refresh } from '../../../data/use-read.ts';
import { useWayOn } from '../../../data/use-way-on.ts';
import type { Recipe } from './recipes.ts';

const make = async ({ tool, agent, trigger }: Recipe): Promise<string> => {
  const { id: toolId } = await api.call('POST /v1/tools', { body: tool });
  let agentId: string | undefined;
  try {
    ({ id: agentId } = await api.call('POST /v1/agents', { body: agent(toolId) }));
    await api.call('POST /v1/triggers', { body: { ...trigger, agentId } });
    return agentId;
  } catch (error) {
    // Nothing half made is left behind; a tool goes only after its agent.
    if (agentId !== undefined) await api.call('DELETE /v1/agents/{id}', { params: { id: agentId } }).catch(() => {});
    await api.call('DELETE /v1/tools/{id}', { params: { id: toolId } }).catch(() => {});
    throw error;
  }
};

/** Makes what a template describes, then leads to the new agent. */
export const useMakeAgent = (onMade: () => void) => {
  const queries = useQueryClient();
  const wayOn = useWayOn();
  return useMutation<string, SwitchboardError, Recipe, ReturnType<typeof wayOn>>({
    mutationFn: make,
    onMutate: wayOn,
    onSuccess: async (id, _, leadTo) => {
      await refresh(queries, ['agents', 'overview', 'tools', 'triggers']);
      onMade();
      await leadTo({ to: `/agents/${id}`, search: { made: 'template' } });
    },
  });
};
