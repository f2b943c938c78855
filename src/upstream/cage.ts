import { Fault, staysInSegment, type UpstreamRequest } from '#kit';

const longest = 16_384;

const refuse = (why: string): never => {
  throw new Fault('invalid_input', `The address cannot be used: ${why}.`);
};

// `$` is spelled out in every example of the services.
const encode = (text: string): string => encodeURIComponent(text).replaceAll('%24', '$');

/** A query with each name and value encoded once. Lists repeat their name; what is null or undefined is left out. */
const encodeQuery = (query: UpstreamRequest['query']): string => {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined || value === null) continue;
    for (const one of typeof value === 'object' ? value : [value]) {
      const text = String(one);
      if (!name.isWellFormed() || !text.isWellFormed()) refuse('its query holds half a character (a lone surrogate)');
      pairs.push(`${encode(name)}=${encode(text)}`);
    }
  }
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
};

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Where a part of an upload goes. The service names the address, so only what every such address has in common is sure:
 * it is secure, or it is the sandbox's own machine and port; the client keeps it out of private networks besides.
 */
export const uploadTarget = (base: URL, address: string): { origin: string; path: string } => {
  const url = address.length > longest ? null : URL.parse(address);
  const named = url ?? refuse('the service named none for the upload');
  const sandbox = base.protocol === 'http:' && loopback.has(base.hostname);
  const own = sandbox && named.protocol === 'http:' && loopback.has(named.hostname) && named.port === base.port;
  if (named.protocol !== 'https:' && !own) refuse('the service named an upload address that is not secure');
  if (named.username !== '' || named.password !== '') refuse('the service named an upload address with a password');
  return { origin: named.origin, path: `${named.pathname}${named.search}` };
};

// Without dots and escapes nothing climbs or is read in two ways.
const plain = /^(?:\/[A-Za-z0-9\-_~!$&'()*+,;=:@]+)+$/;

/** The request's target below the base. What was built is read again as any server reads it, and must mean the same. */
export const targetWithin = (base: URL, { path, query }: Pick<UpstreamRequest, 'path' | 'query'>): string => {
  if (base.protocol !== 'https:' && base.protocol !== 'http:') refuse('the service has no web address');
  const prefix = base.pathname.replace(/\/+$/, '');
  const full = `${prefix}${path}`;
  const target = `${full}${encodeQuery(query)}`;
  if (target.length > longest) throw new Fault('too_large', `The address is longer than ${longest} characters.`);
  if (!path.startsWith('/') || path.startsWith('//')) refuse('its path must start with a single "/"');
  if (plain.test(path)) return target;
  const { origin } = base;
  const read = URL.parse(`${origin}${target}`) ?? refuse('it is not an address');
  const same = read.origin === origin && read.pathname === full && read.hash === '' && read.username === '';
  if (!same || !staysInSegment(path)) refuse("it leads outside the service's own address");
  return target;
};
