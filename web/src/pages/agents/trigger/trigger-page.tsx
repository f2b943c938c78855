import { Link, useParams } from '@tanstack/react-router';
import { useRead } from '../../../data/use-read.ts';
import { StateBadge } from '../../../ui/badge.tsx';
import { Page } from '../../../ui/page.tsx';
import { Shown } from '../../../ui/shown.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { paceOf, useTriggerTypes } from '../trigger-types.ts';
import { UnfitEvent } from '../unfit-event.tsx';
import { Diagnosis } from './diagnosis.tsx';
import { TriggerActions } from './trigger-actions.tsx';
import { TriggerSettings } from './trigger-settings.tsx';

/** One trigger: why it does, or does not, fire, and what it met lately. */
export const TriggerPage = () => {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const trigger = useRead('GET /v1/triggers/{id}', { params: { id } });
  const { agentId = '', accountId = '', name, type = '', state } = trigger.data ?? {};
  const known = trigger.data !== undefined;
  const agent = useRead('GET /v1/agents/{id}', { params: { id: agentId } }, { enabled: known });
  const account = useRead('GET /v1/accounts/{id}', { params: { id: accountId } }, { enabled: known });
  const definition = useTriggerTypes().typeOf(type);
  return (
    <Page
      title={name ?? 'Trigger'}
      about={
        known && (
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {state !== undefined && <StateBadge state={state} />}
            {definition !== undefined && (
              <span>
                {definition.title === name ? '' : `${definition.title} · `}
                {paceOf(definition)}
              </span>
            )}
            <span>
              watches{' '}
              <Link to={`/integrations/${type.split('.')[0] ?? ''}`} search={{ account: accountId }} className="link">
                <VisibleText text={account.data?.name ?? 'its account'} />
              </Link>
            </span>
            <span>
              starts{' '}
              <Link to={`/agents/${agentId}`} className="link">
                <VisibleText text={agent.data?.name ?? 'its agent'} />
              </Link>
            </span>
          </span>
        )
      }
      actions={trigger.data !== undefined && <TriggerActions trigger={trigger.data} agentName={agent.data?.name} />}
    >
      <Shown of={trigger} loading="Looking at the trigger">
        {(shown) => (
          <>
            <UnfitEvent missing={shown.missing} title={definition?.title ?? type} />
            <Diagnosis trigger={shown} />
            <TriggerSettings trigger={shown} />
          </>
        )}
      </Shown>
    </Page>
  );
};
