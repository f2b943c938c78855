import type { OAuthClient } from './model.ts';

/** Constants of the seeded world. They open nothing but this sandbox. */
export const seededApps: Readonly<Record<string, { key: string; secret: string; name: string; token: string }>> = {
  ada: {
    key: 'ada5a11db0a2d0000000000000000001',
    secret: 'ada5ec2e7000000000000000000000000000000000000000000000000000a001',
    name: "Ada's app",
    token: 'ATTAada0000000000000000000000000000000000000000000000000000000000000ADA00001',
  },
  ben: {
    key: 'be25a11db0a2d0000000000000000002',
    secret: 'be25ec2e7000000000000000000000000000000000000000000000000000b002',
    name: "Ben's app",
    token: 'ATTAbe20000000000000000000000000000000000000000000000000000000000000BE200002',
  },
};

export const seededClients: readonly OAuthClient[] = [
  {
    id: 'sandbox-board-client',
    secret: 'sandbox-board-client-secret',
    name: 'Switchboard',
    redirectUris: [],
  },
  { id: 'sandbox-board-public-client', secret: null, name: 'Switchboard (public)', redirectUris: [] },
];

/** The app behind the sandbox's own pages; what people do there has no app as its creator. */
export const pagesApp = {
  key: 'face5a11db0a2d000000000000000000',
  secret: 'face5ec2e7000000000000000000000000000000000000000000000000000000',
  name: 'Sandbox pages',
};
