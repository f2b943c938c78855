import { randomUUID } from 'node:crypto';
import { GraphError } from '../graph-error.ts';
import { isReachable, postTo } from './endpoint.ts';

const failed = (why: string): GraphError =>
  new GraphError(400, 'ValidationError', `Subscription validation request failed. ${why}`);

/** The address must answer 200, text/plain, with the decoded token, within ten seconds. No credentials are sent. */
export const validateEndpoint = async (address: string, timeoutMs = 10_000): Promise<void> => {
  if (!isReachable(address)) {
    throw new GraphError(
      400,
      'InvalidRequest',
      'The notification URL must be an https address (or one on this machine).',
    );
  }
  const token = `Validation: Testing client application reachability for subscription Request-Id: ${randomUUID()}`;
  const url = new URL(address);
  url.searchParams.set('validationToken', token);
  let answer: Awaited<ReturnType<typeof postTo>>;
  try {
    answer = await postTo(url.href, 'text/plain; charset=utf-8', '', timeoutMs);
  } catch (error) {
    const timedOut = error instanceof DOMException && error.name === 'TimeoutError';
    if (timedOut) throw new GraphError(400, 'ValidationError', 'Subscription validation request timed out.');
    throw failed('Notification endpoint could not be reached.');
  }
  if (answer.status !== 200) throw failed(`Response must be 200 OK, but was ${answer.status}.`);
  if (!answer.contentType.toLowerCase().startsWith('text/plain'))
    throw failed('Response must have Content-Type text/plain.');
  if (answer.text !== token) throw failed('Response must exactly match validationToken query parameter.');
};
