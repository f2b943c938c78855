import { Link } from '@tanstack/react-router';
import { Mail, SquareKanban, Zap } from 'lucide-react';
import type { Trigger } from '../../../../client/src/index.ts';
import { useFilters } from '../../data/use-filters.ts';
import { useNames } from '../../data/use-names.ts';
import { useList } from '../../data/use-read.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { Listed } from '../../ui/listed.tsx';
import { Narrow } from '../../ui/narrow.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { isPlaced, usePlacesInWords } from './chosen-names.ts';
import { filterOf } from './filter-of.ts';
import { useTriggerTypes } from './trigger-types.ts';

const states: [Trigger['state'], string][] = [
  ['enabled', 'Enabled'],
  ['paused', 'Paused'],
  ['broken', 'Broken'],
];

// Each of them is asked at its service.
const mostAccounts = 5;

const Row = (props: { trigger: Trigger; kind: string; agent: string; account: string; namesPlaces: boolean }) => {
  const { id, name, type, state, reason } = props.trigger;
  const Icon = type.startsWith('mail.') ? Mail : SquareKanban;
  const filter = filterOf(props.trigger);
  const places = usePlacesInWords(props.trigger, props.namesPlaces);
  return (
    <li className="row-lazy">
      <Link
        to="/triggers/$id"
        params={{ id }}
        className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-start gap-3 px-4 py-3 hover:bg-hover"
      >
        <Icon aria-hidden="true" className="mt-1 size-4 text-muted" />
        <span className="grid min-w-0 gap-0.5">
          <span className="font-medium [overflow-wrap:anywhere]">
            <VisibleText text={name} />
          </span>
          <span className="text-xs text-muted [overflow-wrap:anywhere]">
            {props.kind !== name && `${props.kind} · `}
            starts <VisibleText text={props.agent} /> · <VisibleText text={props.account} />
            {places !== undefined && (
              <>
                {' · '}
                <VisibleText text={places} />
              </>
            )}
          </span>
          {filter !== undefined && (
            <code className="line-clamp-2 text-xs">
              <VisibleText text={filter} />
            </code>
          )}
          {reason !== null && (
            <span className={`line-clamp-2 text-xs ${state === 'broken' ? 'text-bad' : 'text-muted'}`}>
              <VisibleText text={reason} />
            </span>
          )}
        </span>
        <StateBadge state={state} />
      </Link>
    </li>
  );
};

/** Every trigger of the workspace, whichever agent it starts. */
export const TriggersPage = () => {
  const { values, set, clear, any } = useFilters(['state', 'agentId', 'accountId']);
  const state = states.find(([each]) => each === values.state)?.[0];
  const { state: _, ...others } = values;
  const list = useList('GET /v1/triggers', { ...others, ...(state === undefined ? {} : { state }), limit: 50 });
  const { agents, accounts } = useNames();
  const { typeOf } = useTriggerTypes();
  const placed = list.items.filter(isPlaced);
  const namesPlaces = new Set(placed.map(({ accountId }) => accountId)).size <= mostAccounts;
  return (
    <Page title="Triggers" about="Everything that starts an agent, newest first, and whether it works.">
      <FilterBar any={any} chosen={any} clear={clear}>
        <Narrow label="State" value={state} choices={states} onChoose={(each) => set('state', each)} />
        <Narrow label="Agent" value={values.agentId} choices={agents} onChoose={(each) => set('agentId', each)} />
        <Narrow
          label="Account"
          value={values.accountId}
          choices={accounts}
          onChoose={(each) => set('accountId', each)}
        />
      </FilterBar>
      <Listed
        of={list}
        loading="Looking for triggers"
        empty={
          <Empty icon={Zap} title={any ? 'No trigger is like that' : 'No trigger yet'}>
            {any ? (
              <p>Choose another state, agent or account.</p>
            ) : (
              <p>
                A trigger is added on the page of the agent it starts: choose one of the{' '}
                <Link to="/agents" className="link">
                  agents
                </Link>
                .
              </p>
            )}
          </Empty>
        }
      >
        <ul aria-label="Triggers" className="card divide-y divide-line overflow-hidden">
          {list.items.map((trigger) => (
            <Row
              key={trigger.id}
              trigger={trigger}
              kind={typeOf(trigger.type)?.title ?? trigger.type}
              agent={agents.get(trigger.agentId) ?? 'its agent'}
              account={accounts.get(trigger.accountId) ?? 'its account'}
              namesPlaces={namesPlaces}
            />
          ))}
        </ul>
      </Listed>
    </Page>
  );
};
