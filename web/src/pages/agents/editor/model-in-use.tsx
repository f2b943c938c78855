import type { ModelRunner } from '../../../../../client/src/index.ts';
import { useRead } from '../../../data/use-read.ts';
import { Badge } from '../../../ui/badge.tsx';

const scripted = 'sandbox-script';

/** The model that its last run was given: the operator's choice is known only from there. */
const useLastModel = (agentId: string | undefined): string | undefined => {
  const query = agentId === undefined ? {} : { agentId };
  const runs = useRead('GET /v1/runs', { query: { ...query, limit: 20 } });
  const last = runs.data?.items.find((run) => run.agentId !== undefined && run.toolId === undefined);
  const run = useRead('GET /v1/runs/{id}', { params: { id: last?.id ?? '' } }, { enabled: last !== undefined });
  const model = run.data?.journal.find(({ kind }) => kind === 'prepared')?.data['model'];
  return typeof model === 'string' ? model : undefined;
};

/** Which model works here; the sandbox's script is called what it is. */
export const ModelInUse = ({
  agentId,
  runner,
}: {
  agentId?: string;
  runner: Pick<ModelRunner, 'model' | 'provider'>;
}) => {
  const last = useLastModel(agentId);
  const sandbox = useRead('GET /v1/sandbox');
  const model = runner.model ?? last;
  const isScripted = model === scripted;
  return (
    <p className="flex flex-wrap items-center gap-2 text-xs text-muted">
      {model === undefined ? (
        <>
          {sandbox.data?.enabled === true && <Badge tone="warn">Scripted sandbox model</Badge>}
          {sandbox.data?.enabled === true
            ? 'unless the operator set another. The script does not think; it is good for trying things out.'
            : 'The model that the operator of this installation set.'}
        </>
      ) : (
        <>
          <code className="untrusted text-ink">{model}</code>
          {isScripted && <Badge tone="warn">Scripted sandbox model</Badge>}
          {isScripted && 'It follows a script and does not think; good for trying things out.'}
          {!isScripted && runner.model === undefined && 'set by the operator'}
        </>
      )}
    </p>
  );
};
