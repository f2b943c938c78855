import type { Token, Webhook } from '../model.ts';
import type { World } from '../world.ts';

export const showWebhook = (webhook: Webhook) => ({
  id: webhook.id,
  description: webhook.description,
  idModel: webhook.idModel,
  callbackURL: webhook.callbackURL,
  active: webhook.active,
  consecutiveFailures: webhook.consecutiveFailures,
  firstConsecutiveFailDate: webhook.firstConsecutiveFailDate,
});

export const webhooksOwnedBy = (world: World, idOwner: string): Webhook[] =>
  [...world.webhooks.values()].filter((webhook) => webhook.idOwner === idOwner);

const permissionsOf = ({ scopes, idMember, kind }: Token) => {
  const may = (what: 'read' | 'write', model: string): boolean =>
    kind === 'key' ? scopes.includes(what) : scopes.includes(`${what}:${model}:trello`);
  const account = kind === 'oauth' || scopes.includes('account');
  return [
    { idModel: idMember, modelType: 'Member', read: may('read', 'member'), write: account && may('write', 'member') },
    { idModel: '*', modelType: 'Board', read: may('read', 'board'), write: may('write', 'board') },
    { idModel: '*', modelType: 'Organization', read: may('read', 'organization'), write: may('write', 'organization') },
  ];
};

export const showToken = (world: World, token: Token, { webhooks = false } = {}): Record<string, unknown> => ({
  id: token.id,
  identifier: token.identifier,
  idMember: token.idMember,
  dateCreated: token.dateCreated,
  dateExpires: token.dateExpires,
  permissions: permissionsOf(token),
  ...(webhooks ? { webhooks: webhooksOwnedBy(world, token.idOwner).map(showWebhook) } : {}),
});
