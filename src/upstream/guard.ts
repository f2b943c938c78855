import { lookup as lookUp } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';

const listOf = (ranges: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits), address.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
};

// Cloud machines hand out their own credentials on link-local addresses, so these stay closed even in the sandbox.
const never = listOf(['169.254.0.0/16', '224.0.0.0/4', '240.0.0.0/4', 'fe80::/10', 'fec0::/10', 'ff00::/8']);

// IANA's special-purpose registries: what is not reachable from the open internet, and the tunnels into it.
const inside = listOf([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
]);
// All other addresses of IPv6 are set aside. A list of its own: one that holds ::/3 would hold IPv4 as well.
const open = listOf(['2000::/3']);

/** The IPv4 address inside a mapped, translated, compatible or NAT64 one, which reaches the same machine. */
const embedded = (address: string): string | undefined => {
  const text = /^(?:::ffff:(?:0:)?|::|64:ff9b::)(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i.exec(
    address,
  );
  if (text === null) return undefined;
  if (text[1] !== undefined) return text[1];
  const [high, low] = [Number.parseInt(text[2] ?? '', 16), Number.parseInt(text[3] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
};

const ownMachine = listOf(['127.0.0.0/8', '::1/128']);

/** Which addresses besides those of the open internet: none, this machine's own, or all of the network it stands in. */
export type AllowPrivate = boolean | 'loopback';

/** Whether a connection to this IP address may be opened. */
export const mayReach = (address: string, allowPrivate: AllowPrivate): boolean => {
  // One spelling for every address: BlockList and the pattern above then see the same.
  const plain =
    isIP(address) === 6 ? new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1) : address;
  const inner = embedded(plain);
  if (inner !== undefined && plain !== '::1') return mayReach(inner, allowPrivate);
  const family = plain.includes(':') ? 'ipv6' : 'ipv4';
  if (isIP(plain) === 0 || never.check(plain, family)) return false;
  const isOutside = !inside.check(plain, family) && (family === 'ipv4' || open.check(plain, family));
  if (allowPrivate === true || isOutside) return true;
  return allowPrivate === 'loopback' && ownMachine.check(plain, family);
};

/** The address that was looked up is refused, whatever name led to it. */
export class NotAllowed extends Error {}

/** Opens connections to allowed addresses only; what is checked is the address connected to, so no name can change between. */
export const guardedConnector = (options: {
  allowPrivate: AllowPrivate;
  timeoutMs: number;
  /** Who knows the addresses of names. */
  resolve?: typeof lookUp;
}): buildConnector.connector => {
  const { resolve = lookUp } = options;
  const lookup: LookupFunction = (hostname, lookupOptions, callback) => {
    resolve(hostname, { ...lookupOptions, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '', 4);
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => mayReach(address, options.allowPrivate))) {
        return callback(new NotAllowed('the address is not allowed'), '', 4);
      }
      return lookupOptions.all === true ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
  // HTTP/2 is off: its streams are re-sent by the library after a GOAWAY.
  const connect = buildConnector({ allowH2: false, timeout: options.timeoutMs, lookup });
  return (target, callback) => {
    const literal = target.hostname.replace(/^\[|\]$/g, '');
    if (isIP(literal) !== 0 && !mayReach(literal, options.allowPrivate)) {
      callback(new NotAllowed('the address is not allowed'), null);
      return;
    }
    connect(target, callback);
  };
};
