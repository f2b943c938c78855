import { type Catalogue, Fault, type Grant } from '#kit';
import { type Sealer, Unreadable } from '#store';
import { type AccountRow, placeOf } from './account.ts';
import { methodOf, type Services, serviceOf } from './ways.ts';

/** The secret that signs notifications for an account; opened for each notification and never kept. */
export type SigningSecretOf = (
  account: Pick<AccountRow, 'workspace_id' | 'id' | 'integration' | 'auth_method' | 'credential'>,
) => string | undefined;

export const createSigningSecrets =
  (options: { sealer: Sealer; catalogue: Catalogue; services: Services }): SigningSecretOf =>
  ({ workspace_id, id, integration: name, auth_method, credential }) => {
    const { sealer, catalogue, services } = options;
    const integration = catalogue.integration(name);
    if (integration === undefined || credential === null) return undefined;
    const method = methodOf(integration, auth_method);
    if (method.signingSecret === undefined) return undefined;
    try {
      const opened: unknown = JSON.parse(sealer.open(credential, placeOf(workspace_id, id)));
      const signs = method.way === 'oauth2' ? method.toCredential(opened as Grant) : opened;
      return method.signingSecret(signs, serviceOf(services, integration));
    } catch (error) {
      if (error instanceof Unreadable) {
        throw new Fault('unavailable', 'The stored credential cannot be opened.', { cause: error });
      }
      throw error;
    }
  };
