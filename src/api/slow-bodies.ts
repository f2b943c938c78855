import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

const longestSilenceMs = 30_000;

const unhurried = new WeakSet<Duplex>();

/** A large file over a thin line takes longer than a request may. It goes on for as long as something comes. */
export const giveTime = (incoming: IncomingMessage): void => {
  const { socket } = incoming;
  unhurried.add(socket);
  incoming.setTimeout(longestSilenceMs);
  incoming.once('close', () => unhurried.delete(socket));
};

const refusals: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
};

/** Answers what is no request, or comes too slowly, as Node does where nobody listens. `answer`: the last that was begun there. */
export const endUnread = (
  { code = '' }: NodeJS.ErrnoException,
  socket: Duplex,
  answer: ServerResponse | undefined,
): void => {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && unhurried.has(socket)) return;
  const isMidAnswer = answer?.headersSent === true && !answer.writableFinished;
  if (isMidAnswer || !socket.writable) socket.destroy();
  else socket.end(`HTTP/1.1 ${refusals[code] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`);
};
