import { randomBytes } from 'node:crypto';

/** Names one request in its answer, in logs and in error messages. */
export const newRequestId = (at: Date): string => `req_${at.getTime().toString(36)}${randomBytes(8).toString('hex')}`;
