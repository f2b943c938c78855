import {
  type Content,
  Fault,
  type Method,
  type Path,
  type Sink,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamDefinition,
  type UpstreamRequest,
} from '#kit';

/** What carries large content. Only the work of a step has any. */
export type Transfers = {
  download(request: UpstreamRequest, how: { into: Sink; maxBytes: number }): Promise<UpstreamAnswer>;
  upload(request: UpstreamRequest, content: Content): Promise<UpstreamAnswer>;
};

const refuse = () => Promise.reject(new Fault('internal', 'Large content is only carried while a step runs.'));
const none: Transfers = { download: refuse, upload: refuse };

/** The short forms a step uses, over one way to make a call: they throw the service's refusal as a Fault. */
export const toUpstream = (
  call: (request: UpstreamRequest) => Promise<UpstreamAnswer>,
  readFault: UpstreamDefinition<never>['readFault'],
  transfers: Transfers = none,
): Upstream => {
  const bodyOf = (answer: UpstreamAnswer): unknown => {
    if (answer.status >= 200 && answer.status < 300) return answer.body;
    if (answer.status >= 300 && answer.status < 400) {
      throw new Fault('upstream_rejected', 'The service points to another address, which is not followed.', {
        details: { status: answer.status },
      });
    }
    throw readFault(answer);
  };
  const short =
    (method: Method) =>
    async (path: Path, options: Pick<UpstreamRequest, 'query' | 'headers' | 'body'> = {}): Promise<unknown> =>
      bodyOf(await call({ ...options, method, path }));
  return {
    get: short('GET'),
    post: short('POST'),
    put: short('PUT'),
    patch: short('PATCH'),
    delete: short('DELETE'),
    download: async (path, { into, maxBytes, ...options }) => {
      bodyOf(await transfers.download({ ...options, method: 'GET', path }, { into, maxBytes }));
    },
    upload: async (path, { content, ...options }) =>
      bodyOf(await transfers.upload({ ...options, method: 'POST', path }, content)),
    request: call,
  };
};
