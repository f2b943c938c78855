import { randomUUID } from 'node:crypto';
import { badRequest, GraphError } from '../graph-error.ts';
import { created, type GraphAnswer, type GraphRequest, type GraphRoute, jsonBody, noContent, ok } from '../route.ts';
import { requireScope } from '../session.ts';
import { pick, readFlag, readText } from '../values.ts';
import { validateEndpoint } from './handshake.ts';
import { readTarget, type Subscription, scopesFor, subscriptionView } from './subscription.ts';
import type { Subscriptions } from './subscriptions.ts';

const minute = 60_000;
const shortest = 45 * minute;
const longestMinutes = 10_080;

const readExpiry = (value: unknown, now: number): number => {
  const at = Date.parse(readText(value, 'expirationDateTime'));
  if (Number.isNaN(at)) throw badRequest("The value of 'expirationDateTime' is not a date and time.");
  if (at <= now) throw new GraphError(400, 'InvalidRequest', 'Subscription expiration must be in the future.');
  if (at > now + longestMinutes * minute) {
    throw new GraphError(
      400,
      'InvalidRequest',
      `Subscription expiration can only be ${longestMinutes} minutes in the future.`,
    );
  }
  return Math.max(at, now + shortest);
};

const kinds = ['created', 'updated', 'deleted'];

const readChangeTypes = (text: string): string[] => {
  const types = [...new Set(text.split(',').map((type) => type.trim().toLowerCase()))];
  const odd = types.find((type) => !kinds.includes(type));
  if (odd !== undefined)
    throw new GraphError(400, 'InvalidRequest', `The change type '${odd.slice(0, 50)}' is not supported.`);
  return types;
};

const optional = (value: unknown, name: string): string | null =>
  value === undefined || value === null ? null : readText(value, name);

const required = (value: unknown, name: string): string => {
  const text = optional(value, name);
  if (text === null || text === '') throw new GraphError(400, 'InvalidRequest', `The property '${name}' is required.`);
  return text;
};

const create =
  (subscriptions: Subscriptions) =>
  async (request: GraphRequest): Promise<GraphAnswer> => {
    const { world, session } = request;
    const body = jsonBody(request);
    const resource = required(pick(body, 'resource'), 'resource');
    const changeTypeText = required(pick(body, 'changeType'), 'changeType');
    const changeTypes = readChangeTypes(changeTypeText);
    const target = readTarget(world, session.person, resource);
    requireScope(session, ...scopesFor[target.kind]);
    if (readFlag(pick(body, 'includeResourceData') ?? false, 'includeResourceData')) {
      throw new GraphError(400, 'InvalidRequest', 'The sandbox sends no resource data; leave includeResourceData out.');
    }
    const clientState = optional(pick(body, 'clientState'), 'clientState');
    if ((clientState?.length ?? 0) > 128)
      throw new GraphError(400, 'InvalidRequest', 'clientState is limited to 128 characters.');
    const notificationUrl = required(pick(body, 'notificationUrl'), 'notificationUrl');
    const lifecycleUrl = optional(pick(body, 'lifecycleNotificationUrl'), 'lifecycleNotificationUrl');
    const expires = readExpiry(required(pick(body, 'expirationDateTime'), 'expirationDateTime'), world.now());
    const wanted = { owner: session.person.id, appId: session.appId, resource, changeTypes };
    const refuseTwin = () => {
      const twin = subscriptions.twin(wanted);
      if (twin === undefined) return;
      throw new GraphError(
        409,
        'ExtensionError',
        `Subscription Id ${twin.id} already exists for the requested combination`,
      );
    };
    refuseTwin();
    if (subscriptions.isFull(session.person.id)) {
      throw new GraphError(403, 'ExtensionError', 'The mailbox has reached its limit of 1000 active subscriptions.');
    }
    await validateEndpoint(notificationUrl);
    if (lifecycleUrl !== null) await validateEndpoint(lifecycleUrl);
    refuseTwin();
    const subscription: Subscription = {
      id: randomUUID(),
      ...wanted,
      tenantId: session.person.tenantId,
      changeTypeText,
      notificationUrl,
      lifecycleUrl,
      clientState,
      expires,
      immutableIds: request.prefer.immutableIds,
      tls: optional(pick(body, 'latestSupportedTlsVersion'), 'latestSupportedTlsVersion') ?? 'v1_2',
    };
    subscriptions.add(subscription);
    return created({
      '@odata.context': `${request.base}/$metadata#subscriptions/$entity`,
      ...subscriptionView(subscription, true),
    });
  };

/** Another app's or another person's is as unknown as one that never was. */
const find = (subscriptions: Subscriptions, { params, session }: GraphRequest): Subscription => {
  const found = subscriptions.get(params['subscription'] ?? '');
  if (found !== undefined && found.owner === session.person.id && found.appId === session.appId) return found;
  throw new GraphError(404, 'ResourceNotFound', 'The object was not found.');
};

const patch =
  (subscriptions: Subscriptions) =>
  async (request: GraphRequest): Promise<GraphAnswer> => {
    const subscription = find(subscriptions, request);
    const body = jsonBody(request);
    const expiry = pick(body, 'expirationDateTime');
    const url = optional(pick(body, 'notificationUrl'), 'notificationUrl');
    if (expiry === undefined && url === null)
      throw new GraphError(400, 'InvalidRequest', "Only 'expirationDateTime' and 'notificationUrl' can be changed.");
    const expires = expiry === undefined ? subscription.expires : readExpiry(expiry, request.world.now());
    if (url !== null) await validateEndpoint(url);
    Object.assign(subscription, { expires, ...(url === null ? {} : { notificationUrl: url }) });
    subscriptions.remind(subscription);
    return ok({
      '@odata.context': `${request.base}/$metadata#subscriptions/$entity`,
      ...subscriptionView(subscription),
    });
  };

export const subscriptionRoutes = (subscriptions: Subscriptions): GraphRoute[] => [
  {
    method: 'GET',
    path: 'subscriptions',
    scopes: [],
    handle: (request) =>
      ok({
        '@odata.context': `${request.base}/$metadata#subscriptions`,
        value: subscriptions.of(request.session.person.id, request.session.appId).map((one) => subscriptionView(one)),
      }),
  },
  { method: 'POST', path: 'subscriptions', scopes: [], handle: create(subscriptions) },
  {
    method: 'GET',
    path: 'subscriptions/:subscription',
    scopes: [],
    handle: (request) =>
      ok({
        '@odata.context': `${request.base}/$metadata#subscriptions/$entity`,
        ...subscriptionView(find(subscriptions, request)),
      }),
  },
  { method: 'PATCH', path: 'subscriptions/:subscription', scopes: [], handle: patch(subscriptions) },
  {
    method: 'DELETE',
    path: 'subscriptions/:subscription',
    scopes: [],
    handle: (request) => {
      subscriptions.remove(find(subscriptions, request).id);
      return noContent();
    },
  },
  {
    method: 'POST',
    path: 'subscriptions/:subscription/reauthorize',
    scopes: [],
    handle: (request) => {
      subscriptions.remind(find(subscriptions, request));
      return noContent();
    },
  },
];
