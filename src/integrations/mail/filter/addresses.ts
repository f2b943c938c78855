import { domainToASCII } from 'node:url';
import { topLevelDomains } from './top-level-domains.ts';

/*
 * Addresses decide who may start an agent, so only what is the same address is taken for the same: letter case and the two
 * spellings of a domain outside ASCII make no difference, accents do.
 */

const outsideAscii = /[\u0080-\uffff]/;

export const sameDomain = (domain: string): string => {
  const lower = domain.toLowerCase();
  return outsideAscii.test(lower) ? domainToASCII(lower) || lower : lower;
};

/** An address as it is compared, and its domain. */
export const whereTo = (address: string): { address: string; domain: string } => {
  const at = address.lastIndexOf('@');
  if (at < 0) return { address: address.toLowerCase(), domain: '' };
  const domain = sameDomain(address.slice(at + 1));
  return { address: `${address.slice(0, at).toLowerCase()}@${domain}`, domain };
};

export const sameAddress = (address: string): string => whereTo(address).address;

const labels = /^[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)*$/u;

/** contoso.com, or a single name such as localhost. */
export const isDomain = (text: string): boolean => labels.test(text);

/** A domain by its end; ada.lovelace is a name rather, as addresses begin with. */
export const isRegistrable = (text: string): boolean => {
  const dot = text.lastIndexOf('.');
  return dot > 0 && isDomain(text) && topLevelDomains.has(sameDomain(text.slice(dot + 1)));
};

/** Someone at a domain that has a dot. */
export const isAddress = (text: string): boolean => {
  const at = text.indexOf('@');
  const domain = text.slice(at + 1);
  return at > 0 && !/[\s*]/.test(text) && domain.includes('.') && isDomain(domain);
};
