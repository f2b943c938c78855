import { randomUUID } from 'node:crypto';

/** Names one request in its answer, in logs and in error messages. */
export const newRequestId = (at: Date): string =>
  `req_${at.getTime().toString(36)}${randomUUID().replaceAll('-', '').slice(-16)}`;
