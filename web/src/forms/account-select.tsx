import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import type { AccountChoice } from '../../../client/src/index.ts';
import { useRead } from '../data/use-read.ts';
import { useWrite } from '../data/use-write.ts';
import { Problem } from '../ui/states.tsx';

const stateWords: Record<string, string> = {
  needs_reconnect: 'needs reconnect',
  paused: 'paused',
  disconnected: 'disconnected',
};
const typeWords = (type: string): string => type.replaceAll('_', ' ');

const describe = ({ name, identity, state, step }: AccountChoice): string => {
  const who = identity.address ?? identity.username;
  const notes = [
    who !== undefined && who !== name ? who : '',
    stateWords[state] ?? '',
    step !== undefined && !step.ready && state === 'connected' ? 'lacks a permission' : '',
  ].filter(Boolean);
  return notes.length === 0 ? name : `${name} (${notes.join(', ')})`;
};

/** What stands in the way of this account, and the button that asks for it. */
const Obstacle = ({ account }: { account: AccountChoice }) => {
  const connect = useWrite('POST /v1/connect');
  const { id, integration, state, reason, step, authMethod } = account;
  const ask = async () => {
    const method = authMethod === 'authorize' ? ('authorize' as const) : ('oauth2' as const);
    const body = (step?.connect ?? { integration, method, accountId: id }) as Parameters<
      typeof connect.mutateAsync
    >[0]['body'];
    // Opened at the click, so that the browser admits it; it learns where to go when the server has said so.
    const popup = open('', 'connect', 'popup,width=560,height=720');
    try {
      const { url } = await connect.mutateAsync({ body });
      if (popup === null) location.assign(url);
      else popup.location.assign(url);
    } catch {
      popup?.close();
    }
  };
  const isLacking = step !== undefined && step.missingScopes.length > 0;
  if (state === 'connected' && !isLacking) return null;
  const words =
    state === 'needs_reconnect'
      ? `This account must be connected again. ${reason ?? ''}`
      : state === 'paused'
        ? 'This account is paused: steps wait until it is resumed on its page.'
        : isLacking
          ? `This account was not granted: ${step.missingScopes.join(', ')}.`
          : (reason ?? 'This account is not connected.');
  const typed = authMethod === 'key_token';
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-3 rounded-lg bg-warn-soft px-3 py-2 text-sm text-warn"
    >
      <p className="min-w-48 flex-1 [overflow-wrap:anywhere]">{words}</p>
      {state === 'paused' || typed ? (
        <Link to={`/integrations/${integration}`} className="link">
          Open its page
        </Link>
      ) : (
        <button type="button" className="button button-quiet" aria-busy={connect.isPending} onClick={() => void ask()}>
          {isLacking && state === 'connected' ? 'Ask for this permission' : 'Connect again'}
        </button>
      )}
    </div>
  );
};

const Nothing = ({ integration, type, onAll }: { integration: string; type: string; onAll?: () => void }) => (
  <div className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-dashed border-edge px-3 py-3 text-sm text-muted">
    <p className="flex-1">
      {type === ''
        ? 'Nothing here: connect an account first.'
        : `No account has the permission “${typeWords(type)}”. Connect one, or connect yours again with it.`}
    </p>
    {onAll !== undefined && (
      <button type="button" className="link" onClick={onAll}>
        Show all accounts
      </button>
    )}
    <Link to={`/integrations/${integration}`} className="link">
      Connect an account
    </Link>
  </div>
);

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
  const [chosenType, setChosenType] = useState<string>();
  const type = (isTypeFixed ? undefined : chosenType) ?? props.permissionType ?? '';
  const integrations = useRead('GET /v1/integrations');
  const about = integrations.data?.items.find(({ name }) => name === integration);
  const types = [...new Set(about?.auth.flatMap(({ permissionTypes }) => permissionTypes) ?? [])];
  const query = { integration, limit: 100, ...(step === undefined ? {} : { step }) };
  const all = useRead('GET /v1/accounts', { query });
  const accounts = (all.data?.items ?? []).filter(({ state }) => state !== 'disconnected');
  const offered = accounts.filter(
    ({ id: own, permissionTypes }) => type === '' || permissionTypes.includes(type) || own === value,
  );
  const chosen = all.data?.items.find((account) => account.id === value);

  if (all.error !== null) return <Problem error={all.error} retry={() => void all.refetch()} />;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
      <div className="flex flex-wrap items-end gap-2">
        <div className="grid min-w-52 flex-1 gap-1.5">
          <label htmlFor={id} className="text-sm font-medium">
            {label}
          </label>
          {all.data !== undefined && offered.length === 0 ? (
            <Nothing
              integration={integration}
              type={type}
              {...(type === '' || isTypeFixed ? {} : { onAll: () => setChosenType('') })}
            />
          ) : (
            <select
              id={id}
              className="field"
              disabled={disabled || all.data === undefined}
              aria-invalid={error === undefined ? undefined : true}
              aria-describedby={error === undefined ? undefined : `${id}-error`}
              value={value ?? ''}
              onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
            >
              <option value="">{all.data === undefined ? 'Loading …' : 'Choose an account …'}</option>
              {value !== undefined && all.data !== undefined && !offered.some((account) => account.id === value) && (
                <option value={value}>{chosen?.name ?? value} (not available)</option>
              )}
              {offered.map((account) => (
                <option key={account.id} value={account.id}>
                  {describe(account)}
                </option>
              ))}
            </select>
          )}
        </div>
        {types.length > 1 && !isTypeFixed && (
          <label className="grid gap-1.5 text-xs text-muted">
            With permission
            <select className="field w-44" value={type} onChange={({ target }) => setChosenType(target.value)}>
              <option value="">any</option>
              {types.map((each) => (
                <option key={each} value={each}>
                  {typeWords(each)}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {error !== undefined && (
        <p id={`${id}-error`} className="text-xs text-bad">
          {error}
        </p>
      )}
      {chosen !== undefined && <Obstacle account={chosen} />}
    </div>
  );
};
