import { type Catalogue, Fault, type Identity, type Integration, type TypedAuth, wrongFields } from '#kit';
import { toUpstream, understood } from '#upstream';
import type { Caller } from './calls.ts';
import { integrationOf, typedMethod } from './ways.ts';

export type TypedCredential = {
  integration: string;
  auth: { type: string } & Record<string, unknown>;
  name?: string | undefined;
};

export type ProvenCredential = {
  integration: Integration;
  method: TypedAuth;
  credential: Record<string, unknown>;
  identity: Identity;
};

const parse = (method: TypedAuth, given: Record<string, unknown>): Record<string, unknown> => {
  const parsed = method.credential.strict().safeParse(given);
  if (parsed.success) return parsed.data;
  const fields = wrongFields(parsed.error.issues, 'auth');
  throw new Fault('invalid_input', 'The credential is incomplete or malformed.', { details: { fields } });
};

/** Asks the service whose a typed credential is; one that it refuses goes no further. */
export const proveTyped = async (
  { catalogue, caller }: { catalogue: Catalogue; caller: Caller },
  { integration: name, auth: { type, ...given } }: TypedCredential,
): Promise<ProvenCredential> => {
  const integration = integrationOf(catalogue, name);
  const method = typedMethod(integration, type);
  const credential = parse(method, given);
  const upstream = toUpstream(
    (request) => caller.withCredential(integration, credential, request),
    integration.upstream.readFault,
  );
  const identity = await understood(method.identify(upstream)).catch((error: unknown) => {
    if (!(error instanceof Fault && error.code === 'reconnect_needed')) throw error;
    const message = 'The service does not accept this credential; check that it was copied whole.';
    throw new Fault('invalid_input', message, { details: error.details ?? {} });
  });
  return { integration, method, credential, identity };
};
