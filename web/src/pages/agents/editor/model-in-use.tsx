import type { ModelRunner } from '../../../../../client/src/index.ts';
import { useRead } from '../../../data/use-read.ts';
import { Badge } from '../../../ui/badge.tsx';

const scripted = 'sandbox-script';

/** The model that its last run was given: the operator's choice is known only from there. */
const useLastModel = (agentId: string | undefined, enabled: boolean): string | undefined => {
  const query = { query: { ...(agentId === undefined ? {} : { agentId }), limit: 20 } };
  const runs = useRead('GET /v1/runs', query, { enabled });
  const last = runs.data?.items.find((run) => run.agentId !== undefined && run.toolId === undefined);
  const run = useRead('GET /v1/runs/{id}', { params: { id: last?.id ?? '' } }, { enabled: last !== undefined });
  const model = run.data?.journal.find(({ kind }) => kind === 'prepared')?.data['model'];
  return typeof model === 'string' ? model : undefined;
};

/** The model that an agent gets, and who chose it: the agent itself, the workspace, or the operator. */
const useModel = (agentId: string | undefined, own: string | undefined) => {
  const settings = useRead('GET /v1/settings');
  const sandbox = useRead('GET /v1/sandbox');
  const shared = settings.data?.model?.model;
  const last = useLastModel(agentId, own === undefined && settings.data !== undefined && shared === undefined);
  if (own !== undefined) return { name: own, chosenBy: 'set for this agent' };
  if (shared !== undefined) return { name: shared, chosenBy: 'set for this workspace' };
  const isSandbox = sandbox.data?.enabled === true;
  return { name: last ?? (isSandbox ? scripted : undefined), chosenBy: 'set by the operator' };
};

/** Which model works here; the sandbox's script is called what it is. */
export const ModelInUse = ({ agentId, runner }: { agentId?: string; runner: Pick<ModelRunner, 'model'> }) => {
  const { name, chosenBy } = useModel(agentId, runner.model);
  return (
    <p className="flex flex-wrap items-center gap-2 text-xs text-muted">
      {name !== undefined && <code className="untrusted text-ink">{name}</code>}
      {name === scripted ? (
        <>
          <Badge tone="warn">Scripted sandbox model</Badge>
          It follows a script and does not think; good for trying things out.
        </>
      ) : (
        `${name === undefined ? 'The model ' : ''}${chosenBy}`
      )}
    </p>
  );
};
