import { BlockList, isIP } from 'node:net';
import type { HttpBindings } from '@hono/node-server';

/** Whom a request came from, for counting. */
export type ClientAddress = (env: HttpBindings | undefined) => string;

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

/** Sockets that take both kinds write an IPv4 address as an IPv6 one; some proxies add the port. */
const tidied = (written: string): string | undefined => {
  const text = written.trim();
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1');
  const address = bare.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  return isIP(address) === 0 ? undefined : address;
};

/** Whoever has an IPv6 address has a whole network of them, which counts as one. */
const counted = (address: string): string => {
  if (familyOf(address) === 'ipv4') return address;
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [before = [], after = []] = groups.map((half) => half.split(':').filter(Boolean));
  const whole = [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after];
  return `${whole.slice(0, 4).join(':')}::/64`;
};

/**
 * What proxies write down is believed only of those that the operator named: from the nearest one back to the first that
 * is none of them. Without any, the address of the connection counts.
 */
export const createClientAddress = (trusted: readonly string[]): ClientAddress => {
  const proxies = new BlockList();
  for (const each of trusted) {
    const [address = '', bits] = each.split('/');
    if (bits === undefined) proxies.addAddress(address, familyOf(address));
    else proxies.addSubnet(address, Number(bits), familyOf(address));
  }
  return (env) => {
    const { socket, headers } = env?.incoming ?? {};
    let client = tidied(socket?.remoteAddress ?? '');
    if (client === undefined) return 'unknown';
    const written = [headers?.['x-forwarded-for'] ?? []].flat().join(',').split(',');
    while (proxies.check(client, familyOf(client))) {
      const before = tidied(written.pop() ?? '');
      if (before === undefined) break;
      client = before;
    }
    return counted(client);
  };
};
