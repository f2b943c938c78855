import { Link } from '@tanstack/react-router';
import type { Tool } from '../../../../client/src/index.ts';
import { useRead } from '../../data/use-read.ts';
import { useWayOn } from '../../data/use-way-on.ts';
import { useWrite } from '../../data/use-write.ts';
import { Confirm } from '../../ui/confirm.tsx';

/** What can be done with the tool as a whole. */
export const ToolActions = (props: {
  tool: Tool | undefined;
  isDirty: boolean;
  isSaving: boolean;
  onSave: () => void;
  onDeleted: () => void;
}) => {
  const { tool, isDirty, isSaving, onSave, onDeleted } = props;
  const wayOn = useWayOn();
  const remove = useWrite('DELETE /v1/tools/{id}', { refresh: ['tools'], done: 'Tool deleted.' });
  const agents = useRead(
    'GET /v1/tools/{id}/agents',
    { params: { id: tool?.id ?? '' } },
    { enabled: tool !== undefined },
  );
  const users = agents.data?.items ?? [];
  return (
    <>
      {tool !== undefined && (
        <>
          <Link to="/tools/new" search={{ from: tool.id }} className="button button-quiet">
            Duplicate
          </Link>
          <Confirm
            trigger="Delete"
            title={`Delete ${tool.name}?`}
            action="Delete the tool"
            disabled={users.length > 0}
            onConfirm={async () => {
              const leadTo = wayOn();
              await remove.mutateAsync({ params: { id: tool.id } });
              onDeleted();
              await leadTo({ to: '/tools' });
            }}
          >
            <p>Nothing can start it any more. Runs under way go on with the version they began with.</p>
          </Confirm>
          {users.length > 0 && (
            <p className="w-full text-right text-xs text-muted [overflow-wrap:anywhere]">
              Used by{' '}
              {users.map(({ id, name }, at) => (
                <span key={id}>
                  {at > 0 && ', '}
                  <Link to={`/agents/${id}`} className="link">
                    {name}
                  </Link>
                </span>
              ))}
              , so it cannot be deleted.
            </p>
          )}
        </>
      )}
      <button
        type="button"
        className="button button-main -order-1"
        disabled={isSaving || (tool !== undefined && !isDirty)}
        aria-busy={isSaving}
        onClick={onSave}
      >
        {tool === undefined ? 'Save the tool' : isDirty ? 'Save' : 'Saved'}
      </button>
    </>
  );
};
