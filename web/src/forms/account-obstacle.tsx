import { Link } from '@tanstack/react-router';
import type { AccountChoice, NewConnect, PermissionType } from '../../../client/src/index.ts';
import { leavesPage } from '../pages/integrations/use-connect.ts';
import { permissionWords } from '../pages/integrations/words.ts';

type Ask = (request: NewConnect) => void;

const wordsFor = ({ state, reason, step }: AccountChoice): string | undefined => {
  switch (state) {
    case 'needs_reconnect':
      return `This account must be connected again. ${reason ?? ''}`;
    case 'paused':
      return 'This account is paused: nothing runs with it until it is resumed on its page.';
    case 'disconnected':
      return 'This account was disconnected. Choose another one, or connect it again.';
    case 'connected':
      return step !== undefined && step.missingScopes.length > 0
        ? `This account was not granted: ${step.missingScopes.join(', ')}.`
        : undefined;
  }
};

/** What stands in the way of this account, and the button that asks for it. */
export const AccountObstacle = ({ account, onAsk }: { account: AccountChoice; onAsk: Ask }) => {
  const { id, integration, state, step, authMethod } = account;
  const words = wordsFor(account);
  if (words === undefined) return null;
  // What was typed in is typed in again, on the page of the integration.
  const byHand = state === 'paused' || authMethod === 'key_token';
  const method = authMethod === 'authorize' ? 'authorize' : 'oauth2';
  const request: NewConnect = step?.connect ?? { integration, method, accountId: id };
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-3 rounded-lg bg-warn-soft px-3 py-2 text-sm text-warn"
    >
      <p className="room-48 flex-1 [overflow-wrap:anywhere]">{words}</p>
      {byHand ? (
        <Link to={`/integrations/${integration}`} className="link">
          Open its page
        </Link>
      ) : (
        <button type="button" className="button button-quiet" onClick={() => onAsk(request)}>
          {state === 'connected' ? 'Ask for this permission' : 'Connect again'}
        </button>
      )}
    </div>
  );
};

const most = 3;

/** No account fits: whom to ask for the permission, or where to connect one. */
export const NoAccount = (props: {
  integration: string;
  type: string;
  others: readonly AccountChoice[];
  onAsk: Ask;
  onAll?: () => void;
}) => {
  const { integration, type, others, onAsk, onAll } = props;
  const title = permissionWords(integration, type).title;
  const able = type === '' ? [] : others.filter(({ authMethod }) => authMethod === 'oauth2').slice(0, most);
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-dashed border-edge px-3 py-3 text-sm text-muted">
      <p className="w-full">
        {type === '' ? 'Nothing here: connect an account first.' : `No account has the permission “${title}” yet.`}
      </p>
      {able.map(({ id, name, permissionTypes }) => (
        <button
          key={id}
          type="button"
          className="button button-quiet"
          onClick={() =>
            onAsk({
              integration,
              method: 'oauth2',
              accountId: id,
              permissionTypes: [...permissionTypes, type] as PermissionType[],
            })
          }
        >
          Connect <span className="untrusted">{name}</span> again with it
        </button>
      ))}
      {onAll !== undefined && (
        <button type="button" className="link" onClick={onAll}>
          Show all accounts
        </button>
      )}
      {leavesPage(integration) ? (
        <Link to={`/integrations/${integration}`} className="link">
          Connect an account
        </Link>
      ) : (
        <button type="button" className="link" onClick={() => onAsk({ integration })}>
          Connect an account
        </button>
      )}
    </div>
  );
};
