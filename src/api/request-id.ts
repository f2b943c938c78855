import { randomUUID } from 'node:crypto';

/** Names one request in its answer, in logs and in error messages. */
export const newRequestId = (at: Date): string => {
  const uuid = randomUUID();
  // Of a UUID, only digits that are random.
  return `req_${at.getTime()}${uuid.slice(0, 4)}${uuid.slice(24)}`;
};
