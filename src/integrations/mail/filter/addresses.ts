import { domainToASCII } from 'node:url';

/*
 * Addresses decide who may start an agent, so only what is the same address is taken for the same: letter case and the two
 * spellings of a domain outside ASCII make no difference, accents do.
 */

const plain = /^\p{ASCII}*$/u;

export const sameDomain = (domain: string): string => {
  const lower = domain.toLowerCase();
  return plain.test(lower) ? lower : domainToASCII(lower) || lower;
};

export const domainOf = (address: string): string => {
  const at = address.lastIndexOf('@');
  return at < 0 ? '' : sameDomain(address.slice(at + 1));
};

export const sameAddress = (address: string): string => {
  const at = address.lastIndexOf('@');
  return at < 0 ? address.toLowerCase() : `${address.slice(0, at).toLowerCase()}@${domainOf(address)}`;
};

const labels = /^[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)*$/u;

/** contoso.com, or a single name such as localhost. */
export const isDomain = (text: string): boolean => labels.test(text);

/** Someone at a domain that has a dot. */
export const isAddress = (text: string): boolean => {
  const at = text.indexOf('@');
  const domain = text.slice(at + 1);
  return at > 0 && !/[\s*]/.test(text) && domain.includes('.') && isDomain(domain);
};
