import type { Call } from '../call.ts';
import type { Token, Webhook } from '../model.ts';
import { revokeToken } from '../operations/tokens.ts';
import { coded, invalidObjectId, invalidValue, notFound, plain, unauthorized } from '../refusal.ts';
import { del, type Endpoint, get, post, put } from '../router.ts';
import { showMember } from '../views/boards.ts';
import { showToken, showWebhook, webhooksOwnedBy } from '../views/tokens.ts';
import { headStatus } from '../webhook-delivery.ts';

const notString = () => plain(400, "Value isn't a string.");

const callbackFrom = (call: Call): string | undefined => {
  const url = call.input.text('callbackURL', notString);
  if (url === '') throw notString();
  if (url !== undefined && !URL.canParse(url)) throw invalidValue('callbackURL');
  return url;
};

const descriptionFrom = (call: Call): string | undefined => call.input.limited('description');

/** The watched thing must exist and be readable with this token. */
const modelFrom = (call: Call, token: Token): string | undefined => {
  const id = call.input.id('idModel');
  if (id === undefined) return undefined;
  const { boards, lists, cards, members, organizations } = call.world;
  const scope = members.has(id) ? 'member' : organizations.has(id) ? 'organization' : 'board';
  const holds = token.kind === 'key' || token.scopes.includes(`read:${scope}:trello`);
  if (!holds) throw plain(403, 'missing scopes');
  if (boards.has(id)) return call.board('read', id).id;
  if (lists.has(id)) return call.list('read', id).id;
  if (cards.has(id)) return call.card('read', id).id;
  if (organizations.has(id)) return call.organization('read', id).id;
  if (!members.has(id)) throw notFound();
  if (id !== token.idMember) throw unauthorized('unauthorized member permission requested');
  return id;
};

/** Before anything is saved, the callback must answer HEAD with exactly 200. */
const checkCallback = async (url: string): Promise<void> => {
  const status = await headStatus(url);
  if (status !== 200) throw coded(400, `URL (${url}) did not return 200 status code, got ${status}`);
};

const refuseTwin = (call: Call, token: Token, callbackURL: string, idModel: string, self?: Webhook): void => {
  const twin = webhooksOwnedBy(call.world, token.idOwner).some(
    (other) => other !== self && other.callbackURL === callbackURL && other.idModel === idModel,
  );
  if (twin) throw plain(400, 'A webhook with that callback, model, and token already exists');
};

const create = async (call: Call, token: Token): Promise<unknown> => {
  const callbackURL = callbackFrom(call);
  if (callbackURL === undefined) throw notString();
  const idModel = modelFrom(call, token);
  if (idModel === undefined) throw invalidObjectId();
  const description = descriptionFrom(call) ?? '';
  const active = call.input.flag('active') ?? true;
  refuseTwin(call, token, callbackURL, idModel);
  await checkCallback(callbackURL);
  refuseTwin(call, token, callbackURL, idModel);
  const webhook: Webhook = {
    id: call.world.id(),
    description,
    idModel,
    callbackURL,
    active,
    consecutiveFailures: 0,
    firstConsecutiveFailDate: null,
    idOwner: token.idOwner,
    idMember: token.idMember,
    appKey: token.appKey,
    kind: token.kind,
  };
  call.world.addWebhook(webhook);
  return showWebhook(webhook);
};

const callerToken = (call: Call): Token => {
  const { token } = call.caller;
  if (!token) return call.token('');
  return token;
};

const update = async (call: Call): Promise<unknown> => {
  const webhook = call.webhook();
  const token = callerToken(call);
  const callbackURL = callbackFrom(call) ?? webhook.callbackURL;
  const idModel = modelFrom(call, token) ?? webhook.idModel;
  const description = descriptionFrom(call) ?? webhook.description;
  const active = call.input.flag('active') ?? webhook.active;
  refuseTwin(call, token, callbackURL, idModel, webhook);
  if (callbackURL !== webhook.callbackURL) await checkCallback(callbackURL);
  call.world.removeWebhook(webhook);
  Object.assign(webhook, { callbackURL, idModel, description, active });
  if (active) Object.assign(webhook, { consecutiveFailures: 0, firstConsecutiveFailDate: null });
  call.world.addWebhook(webhook);
  return showWebhook(webhook);
};

const remove = (call: Call): unknown => {
  call.world.removeWebhook(call.webhook());
  return { _value: null };
};

const withinToken = (call: Call): Webhook => {
  call.token();
  return call.webhook();
};

export const tokenRoutes: readonly Endpoint[] = [
  get('/tokens/:token', [], (call) => {
    const all = showToken(call.world, call.token(), { webhooks: call.input.flag('webhooks') ?? false });
    const fields = call.fields('all');
    if (fields === 'all') return all;
    return Object.fromEntries(Object.entries(all).filter(([name]) => name === 'id' || fields.includes(name)));
  }),
  get('/tokens/:token/member', [], (call) => {
    const member = call.world.members.get(call.token().idMember);
    if (!member) throw notFound();
    return showMember(member, call.fields('all'), call.viewer);
  }),
  del('/tokens/:token', [], (call) => {
    revokeToken(call.world, call.token());
    return {};
  }),
  get('/tokens/:token/webhooks', [], (call) => webhooksOwnedBy(call.world, call.token().idOwner).map(showWebhook)),
  post('/tokens/:token/webhooks', [], (call) => create(call, call.token())),
  get('/tokens/:token/webhooks/:idWebhook', [], (call) => showWebhook(withinToken(call))),
  del('/tokens/:token/webhooks/:idWebhook', [], (call) => {
    withinToken(call);
    return remove(call);
  }),
  // Documented, but on the live service it answers 404.
  put('/tokens/:token/webhooks/:idWebhook', [], () => {
    throw notFound();
  }),
  post('/webhooks', [], (call) => create(call, callerToken(call))),
  get('/webhooks/:idWebhook', [], (call) => showWebhook(call.webhook())),
  put('/webhooks/:idWebhook', [], update),
  del('/webhooks/:idWebhook', [], remove),
  get('/webhooks/:idWebhook/:field', [], (call) => {
    const { field = '' } = call.params;
    const shown: Record<string, unknown> = showWebhook(call.webhook());
    if (!Object.hasOwn(shown, field)) throw plain(404, `Cannot GET /1/webhooks/${call.params['idWebhook']}/${field}`);
    return { _value: shown[field] };
  }),
];
