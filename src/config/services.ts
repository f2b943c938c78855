import type { ServiceSettings } from '#kit';
import type { Values } from './variables.ts';

/** Whom agents' models are asked of, unless an agent says otherwise. */
export type ModelSettings = {
  provider: 'openai-compatible' | 'anthropic';
  baseUrl: string;
  apiKey: string | undefined;
  /** The model of agents that name none. */
  name: string | undefined;
};

// The apps that the sandbox knows. These open nothing but a sandbox.
const sandboxApps = {
  mail: { clientId: 'switchboard-sandbox', clientSecret: 'sandbox-secret' },
  board: { clientId: 'sandbox-board-client', clientSecret: 'sandbox-board-client-secret' },
  boardApp: {
    appKey: 'ada5a11db0a2d0000000000000000001',
    appSecret: 'ada5ec2e7000000000000000000000000000000000000000000000000000a001',
  },
};

/** An app registered by the operator, or the sandbox's own. */
const appOf = (id: string | undefined, secret: string | undefined, own: typeof sandboxApps.mail | undefined) =>
  id === undefined ? own : { clientId: id, clientSecret: secret };

export const mailService = (v: Values, sandbox: boolean): ServiceSettings => {
  const local = `http://127.0.0.1:${v.SANDBOX_PORT}`;
  const authority = (v.MAIL_AUTHORITY ?? (sandbox ? local : 'https://login.microsoftonline.com')).replace(/\/+$/, '');
  const app = appOf(v.MAIL_CLIENT_ID, v.MAIL_CLIENT_SECRET, sandbox ? sandboxApps.mail : undefined);
  const endpoint = (name: string) => new URL(`${authority}/${v.MAIL_TENANT}/oauth2/v2.0/${name}`);
  return {
    apiBase: new URL(v.MAIL_API_URL ?? (sandbox ? `${local}/v1.0` : 'https://graph.microsoft.com/v1.0')),
    ...(app && {
      oauth: {
        ...app,
        authorizeUrl: endpoint('authorize'),
        tokenUrl: endpoint('token'),
        issuer: `${authority}/{tenantid}/v2.0`,
      },
    }),
  };
};

export const boardService = (v: Values, sandbox: boolean): ServiceSettings => {
  const local = `http://127.0.0.1:${v.SANDBOX_PORT + 1}`;
  const app = appOf(v.BOARD_CLIENT_ID, v.BOARD_CLIENT_SECRET, sandbox ? sandboxApps.board : undefined);
  const given = { appKey: v.BOARD_APP_KEY, appSecret: v.BOARD_APP_SECRET };
  const { appKey, appSecret } = sandbox ? sandboxApps.boardApp : given;
  const [authorize, token] = sandbox
    ? [`${local}/oauth/authorize`, `${local}/oauth/token`]
    : ['https://auth.atlassian.com/authorize', 'https://auth.atlassian.com/oauth/token'];
  const authUrl = v.BOARD_AUTH_URL ?? (sandbox ? local : 'https://trello.com');
  return {
    apiBase: new URL(v.BOARD_API_URL ?? (sandbox ? local : 'https://api.trello.com')),
    pages: new URL(authUrl),
    ...(app && {
      oauth: {
        ...app,
        authorizeUrl: new URL(v.BOARD_AUTHORIZE_URL ?? authorize),
        tokenUrl: new URL(v.BOARD_TOKEN_URL ?? token),
      },
    }),
    ...(appKey !== undefined && { fragment: { base: new URL(authUrl), appKey, appSecret } }),
  };
};

const publicModels = { 'openai-compatible': 'https://api.openai.com/v1', anthropic: 'https://api.anthropic.com/v1' };

export const modelSettings = (v: Values, sandbox: boolean): ModelSettings | undefined => {
  const { MODEL_PROVIDER: provider, MODEL_API_KEY: apiKey, MODEL_API_URL: url, MODEL_NAME: name } = v;
  if (url !== undefined) return { provider, baseUrl: url, apiKey, name };
  if (apiKey !== undefined) return { provider, baseUrl: publicModels[provider], apiKey, name };
  if (!sandbox) return undefined;
  const baseUrl = `http://127.0.0.1:${v.SANDBOX_PORT + 2}/v1`;
  return { provider: 'openai-compatible', baseUrl, apiKey, name: name ?? 'sandbox-script' };
};

// Mail addresses do not end in bare numbers.
