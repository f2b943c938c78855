import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(argon2);
const cost = { parallelism: 1, tagLength: 32, memory: 19_456, passes: 2 };

const digest = (password: string, nonce: Buffer): Promise<Buffer> =>
  derive('argon2id', { ...cost, message: Buffer.from(password.normalize('NFKC')), nonce });

export const hashPassword = async (password: string): Promise<string> => {
  const nonce = randomBytes(16);
  return `argon2id$${nonce.toString('base64')}$${(await digest(password, nonce)).toString('base64')}`;
};

const nobody = `argon2id$${randomBytes(16).toString('base64')}$${randomBytes(32).toString('base64')}`;

/** Takes as long for a person without a password, or for nobody at all, as for a wrong one. */
export const passwordMatches = async (password: string, stored: string | null | undefined): Promise<boolean> => {
  const [, nonce = '', expected = ''] = (stored ?? nobody).split('$');
  const found = await digest(password, Buffer.from(nonce, 'base64'));
  return timingSafeEqual(found, Buffer.from(expected, 'base64')) && stored !== null && stored !== undefined;
};
