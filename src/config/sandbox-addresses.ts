import type { Config } from './index.ts';

/** Where the sandbox stands: on this machine, or nowhere. Anything else may be a real service. */
export const sandboxAddresses = ({
  sandbox,
  services,
}: Pick<Config, 'sandbox' | 'services'>): { mail: URL; board: URL } | undefined => {
  const [mail, board] = [services['mail']?.apiBase, services['board']?.apiBase];
  const local = (url: URL | undefined) =>
    url !== undefined && /^(?:127\.0\.0\.1|localhost|\[::1\])$/.test(url.hostname);
  if (!sandbox.enabled || mail === undefined || board === undefined || !local(mail) || !local(board)) return undefined;
  return { mail: new URL('/', mail), board: new URL('/', board) };
};
