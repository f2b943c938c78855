import { useId, useState } from 'react';
import type { AccountChoice } from '../../../client/src/index.ts';
import { useAll, useRead } from '../data/use-read.ts';
import { ConnectNotice } from '../pages/integrations/connect-notice.tsx';
import { useConnect } from '../pages/integrations/use-connect.ts';
import { permissionWords } from '../pages/integrations/words.ts';
import { Unread } from '../ui/unread.tsx';
import { AccountObstacle, NoAccount } from './account-obstacle.tsx';
import { Choice } from './choice.tsx';

const stateWords: Record<string, string> = {
  needs_reconnect: 'needs reconnect',
  paused: 'paused',
  disconnected: 'disconnected',
};

const describe = ({ name, identity, state, step }: AccountChoice): string => {
  const who = identity.address ?? identity.username;
  const notes = [
    who !== undefined && who !== name ? who : '',
    stateWords[state] ?? '',
    step !== undefined && !step.ready && state === 'connected' ? 'lacks a permission' : '',
  ].filter(Boolean);
  return notes.length === 0 ? name : `${name} (${notes.join(', ')})`;
};

/** One of the connected accounts of an integration. */
export const AccountSelect = (props: {
  integration: string;
  /** The step it shall run: tells which permission is missing. */
  step?: string | undefined;
  /** Only accounts with this permission type. The person can look at the others, too, unless it is fixed. */
  permissionType?: string | undefined;
  isTypeFixed?: boolean;
  value: string | undefined;
  onChange: (accountId: string | undefined) => void;
  label?: string;
  error?: string | undefined;
  disabled?: boolean;
}) => {
  const { integration, step, value, onChange, label = 'Account', error, disabled, isTypeFixed = false } = props;
  const id = useId();
  const connecting = useConnect();
  const [chosenType, setChosenType] = useState<string>();
  const type = (isTypeFixed ? undefined : chosenType) ?? props.permissionType ?? '';
  const integrations = useRead('GET /v1/integrations');
  const about = integrations.data?.items.find(({ name }) => name === integration);
  const types = [...new Set(about?.auth.flatMap(({ permissionTypes }) => permissionTypes) ?? [])];
  const all = useAll('GET /v1/accounts', { integration, step });
  const accounts = (all.data?.items ?? []).filter(({ state }) => state !== 'disconnected');
  const offered = accounts.filter(
    ({ id: own, permissionTypes }) => type === '' || permissionTypes.includes(type) || own === value,
  );
  const chosen = all.data?.items.find((account) => account.id === value);

  if (all.data === undefined && all.error !== null)
    return (
      <div role="group" aria-labelledby={id} className="grid gap-1.5">
        <p id={id} className="text-sm font-medium [overflow-wrap:anywhere]">
          {label}
        </p>
        <Unread of={all} />
      </div>
    );
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
      <div className="flex flex-wrap items-end gap-2">
        <div className="grid room-52 flex-1 gap-1.5">
          <label htmlFor={id} className="text-sm font-medium [overflow-wrap:anywhere]">
            {label}
          </label>
          {all.data !== undefined && offered.length === 0 ? (
            <NoAccount
              integration={integration}
              type={type}
              others={accounts}
              onAsk={connecting.connect}
              {...(type === '' || isTypeFixed ? {} : { onAll: () => setChosenType('') })}
            />
          ) : (
            <Choice
              id={id}
              label={label}
              disabled={disabled === true || all.data === undefined}
              aria-invalid={error !== undefined}
              aria-describedby={error === undefined ? undefined : `${id}-error`}
              value={all.data === undefined ? '' : (value ?? '')}
              none={all.data === undefined ? 'Loading …' : 'Choose an account …'}
              choices={[
                ...(value === undefined || offered.some((account) => account.id === value)
                  ? []
                  : [[value, `${chosen?.name ?? value} (not available)`] as const]),
                ...offered.map((account) => [account.id, describe(account)] as const),
              ]}
              onChoose={(next) => onChange(next === '' ? undefined : next)}
            />
          )}
        </div>
        {types.length > 1 && !isTypeFixed && (
          <label className="grid gap-1.5 text-xs text-muted">
            With permission
            <select className="field w-44" value={type} onChange={({ target }) => setChosenType(target.value)}>
              <option value="">any</option>
              {types.map((each) => (
                <option key={each} value={each}>
                  {permissionWords(integration, each).title}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {!isTypeFixed && <Unread of={integrations} />}
      {error !== undefined && (
        <p id={`${id}-error`} className="text-xs text-bad">
          {error}
        </p>
      )}
      {chosen !== undefined && connecting.state.at === 'idle' && (
        <AccountObstacle account={chosen} onAsk={connecting.connect} />
      )}
      <ConnectNotice connecting={connecting} accounts={accounts} />
    </div>
  );
};
