import { Check, Plus } from 'lucide-react';
import type { Account, Integration, PermissionType } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import type { Connect } from './use-connect.ts';
import { permissionWords } from './words.ts';

/** The permission types of an account: those it holds, and those that can be asked for in one more sign-in. */
export const PermissionTypes = (props: { account: Account; integration: Integration; connecting: Connect }) => {
  const { account, integration, connecting } = props;
  const { may } = useSession();
  const way = integration.auth.find(({ type }) => type === account.authMethod);
  const offered = way?.permissionTypes ?? account.permissionTypes;
  const isPersonal = account.identity.kind === 'personal';
  return (
    <ul className="grid divide-y divide-line text-sm">
      {offered.map((type) => {
        const { title, about } = permissionWords(integration.name, type);
        const has = account.permissionTypes.includes(type);
        const cannot = type === 'meetings_collaboration' && isPersonal;
        return (
          <li key={type} className="flex items-center justify-between gap-3 py-2">
            <span className="min-w-0">
              <span className="block font-medium">{title}</span>
              <span className="block text-xs text-muted">{about}</span>
            </span>
            {has ? (
              <span className="inline-flex shrink-0 items-center gap-1.5 text-xs font-medium text-good">
                <Check aria-hidden="true" className="size-4" />
                Granted
              </span>
            ) : cannot ? (
              <span className="shrink-0 text-xs text-muted">Not for personal accounts</span>
            ) : (
              may('builder') && (
                <button
                  type="button"
                  className="button button-quiet shrink-0"
                  aria-label={`Add ${title}`}
                  onClick={() =>
                    connecting.connect({
                      integration: integration.name,
                      accountId: account.id,
                      permissionTypes: [...account.permissionTypes, type] as PermissionType[],
                    })
                  }
                >
                  <Plus aria-hidden="true" className="size-4" />
                  Add
                </button>
              )
            )}
          </li>
        );
      })}
    </ul>
  );
};
