import { Link, useParams, useSearch } from '@tanstack/react-router';
import { Plus, Wrench } from 'lucide-react';
import { useMemo } from 'react';
import type { Tool } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { useFilters } from '../../data/use-filters.ts';
import { useAll, useList, useRead } from '../../data/use-read.ts';
import { useSteps } from '../../data/use-steps.ts';
import { FoundByName } from '../../ui/found-by-name.tsx';
import { isGone } from '../../ui/gone.tsx';
import { Page } from '../../ui/page.tsx';
import { Shown } from '../../ui/shown.tsx';
import { Empty } from '../../ui/states.tsx';
import { emptyDraft, toDraft } from './draft.ts';
import { ToolBuilder } from './tool-builder.tsx';
import { ToolRow } from './tool-row.tsx';
import { usersOf } from './users-of.ts';

const NewButton = () => (
  <Link to="/tools/new" className="button button-main">
    <Plus aria-hidden="true" className="size-4" />
    New tool
  </Link>
);

export const ToolsPage = () => {
  const { may } = useSession();
  const filters = useFilters(['query']);
  const list = useList('GET /v1/tools', filters.values);
  const agents = useAll('GET /v1/agents');
  const steps = useSteps();
  return (
    <Page
      title="Tools"
      about="Steps put together under one name. An agent reaches only the tools it is given."
      actions={may('builder') && (filters.any || list.items.length > 0) && <NewButton />}
    >
      <FoundByName
        of={list}
        filters={filters}
        icon={Wrench}
        kind="tool"
        loading="Reading the tools"
        empty={
          <Empty icon={Wrench} title="No tools yet">
            <p>
              A tool is a list of steps, such as finding a mail and making a card of it. Try it here, then give it to an
              agent.
            </p>
            {may('builder') && <NewButton />}
          </Empty>
        }
      >
        <ul aria-label="Tools" className="grid grid-cols-[minmax(0,1fr)] gap-3">
          {list.items.map((tool) => (
            <ToolRow key={tool.id} tool={tool} known={steps} users={usersOf(tool.id, agents.data?.items ?? [])} />
          ))}
        </ul>
      </FoundByName>
    </Page>
  );
};

const CopiedTool = ({ tool }: { tool: Tool }) => {
  const start = useMemo(() => ({ ...toDraft(tool), name: `Copy of ${tool.name}` }), [tool]);
  return <ToolBuilder key={tool.id} start={start} slot={`copy of ${tool.id}`} />;
};

export const NewToolPage = () => {
  const { from } = useSearch({ strict: false }) as { from?: string };
  const source = useRead('GET /v1/tools/{id}', { params: { id: from ?? '-' } }, { enabled: from !== undefined });
  const { may } = useSession();
  if (!may('builder'))
    return (
      <Page title="New tool">
        <p className="text-sm text-muted">A builder or an owner of this workspace can make tools.</p>
      </Page>
    );
  if (from === undefined) return <ToolBuilder start={emptyDraft} slot="new" />;
  if (source.data !== undefined) return <CopiedTool tool={source.data} />;
  return (
    <Page title="New tool">
      <Shown of={source} loading="Reading the tool">
        {() => null}
      </Shown>
    </Page>
  );
};

export const ToolPage = () => {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const tool = useRead('GET /v1/tools/{id}', { params: { id } });
  if (tool.data !== undefined)
    return <ToolBuilder key={id} tool={tool.data} isLost={isGone(tool.error)} start={emptyDraft} slot={id} />;
  return (
    <Page title="Tool">
      <Shown of={tool} loading="Reading the tool">
        {() => null}
      </Shown>
    </Page>
  );
};
