import type { IncomingMessage, OutgoingHttpHeader, Server, ServerResponse } from 'node:http';

/** A request and the answer to it, as both went over the wire. */
export type Exchange = {
  method: string;
  /** As asked for, with the query. */
  url: string;
  asked: Buffer;
  status: number;
  contentType: string;
  body: Buffer;
};

type Headers = Record<string, OutgoingHttpHeader | undefined> | OutgoingHttpHeader[];

const contentTypeIn = (headers: Headers): string | undefined => {
  const entries = Array.isArray(headers)
    ? headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]]] : []))
    : Object.entries(headers);
  const found = entries.find(([name]) => String(name).toLowerCase() === 'content-type');
  return found === undefined ? undefined : String(found[1]);
};

const bytesOf = (chunk: unknown, encoding: unknown): Buffer => {
  if (typeof chunk === 'string')
    return Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8');
  return chunk instanceof Uint8Array ? Buffer.from(chunk) : Buffer.alloc(0);
};

/** Gathers what the caller sends, without taking it from whoever reads it. */
const overhear = (request: IncomingMessage): Buffer[] => {
  const chunks: Buffer[] = [];
  const push = request.push.bind(request);
  request.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (chunk !== null) chunks.push(bytesOf(chunk, encoding));
    return push(chunk, encoding);
  };
  return chunks;
};

const overhearAnswer = (request: IncomingMessage, response: ServerResponse, see: (exchange: Exchange) => void) => {
  const asked = overhear(request);
  const body: Buffer[] = [];
  let contentType: string | undefined;
  const { writeHead, write, end } = response;
  response.writeHead = ((...given: unknown[]) => {
    const headers = given.at(-1);
    if (typeof headers === 'object' && headers !== null) contentType = contentTypeIn(headers as Headers);
    return Reflect.apply(writeHead, response, given);
  }) as typeof writeHead;
  response.write = ((...given: unknown[]) => {
    body.push(bytesOf(given[0], given[1]));
    return Reflect.apply(write, response, given);
  }) as typeof write;
  response.end = ((...given: unknown[]) => {
    // Ended once; what comes after is not sent.
    response.end = end;
    body.push(bytesOf(given[0], given[1]));
    const { method = '', url = '' } = request;
    contentType ??= String(response.getHeader('content-type') ?? '');
    see({
      method,
      url,
      asked: Buffer.concat(asked),
      status: response.statusCode,
      contentType,
      body: Buffer.concat(body),
    });
    return Reflect.apply(end, response, given);
  }) as typeof end;
};

/** Shows every answer of a server to `see`, before it leaves. */
export const watchAnswers = (server: Server, see: (exchange: Exchange) => void): void => {
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) =>
    overhearAnswer(request, response, see),
  );
};
