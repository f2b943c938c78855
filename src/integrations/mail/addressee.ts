import { z } from 'zod';

const address = /^[^\s@<>"(),:;[\]\\]+@[^\s@<>"(),:;[\]\\]+$/;

export type Addressee = { name?: string | undefined; address: string };

/** An address as people write one: by itself, or in angle brackets after a name. */
export const readAddressee = (given: string): Addressee | undefined => {
  const [, name, inner] = /^\s*(?:"?([^"<>]*?)"?\s*)<([^<>]+)>\s*$/.exec(given) ?? [undefined, undefined, given];
  const plain = (inner ?? '').trim();
  if (!address.test(plain)) return undefined;
  return name === undefined || name.trim() === '' ? { address: plain } : { name: name.trim(), address: plain };
};

const complete = {
  error: ({ input }: { input?: unknown }) => {
    const given = String(input);
    if (given.trim() === '') return 'is empty; give an address such as ben@example.com, or leave it out';
    const way = given.includes('@') ? '.' : '; find_contact finds people by their names.';
    return `"${given.slice(0, 100)}" is not a complete address such as ben@example.com${way}`;
  },
};
/** An address that can be read. */
export const AddressText = (most: number) =>
  z
    .string()
    .max(most)
    .refine((text) => readAddressee(text) !== undefined, complete);

/** The address alone, of what may have a name before it; what cannot be read stays as it is. */
export const addressIn = (given: string): string => readAddressee(given)?.address ?? given;
