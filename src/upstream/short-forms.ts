import {
  Fault,
  type Method,
  type Path,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamDefinition,
  type UpstreamRequest,
} from '#kit';

/** The short forms a step uses, over one way to make a call: they throw the service's refusal as a Fault. */
export const toUpstream = (
  call: (request: UpstreamRequest) => Promise<UpstreamAnswer>,
  readFault: UpstreamDefinition<never>['readFault'],
): Upstream => {
  const short =
    (method: Method) =>
    async (path: Path, options: Pick<UpstreamRequest, 'query' | 'headers' | 'body'> = {}): Promise<unknown> => {
      const answer = await call({ ...options, method, path });
      if (answer.status >= 200 && answer.status < 300) return answer.body;
      if (answer.status >= 300 && answer.status < 400) {
        throw new Fault('upstream_rejected', 'The service points to another address, which is not followed.', {
          details: { status: answer.status },
        });
      }
      throw readFault(answer);
    };
  return {
    get: short('GET'),
    post: short('POST'),
    put: short('PUT'),
    patch: short('PATCH'),
    delete: short('DELETE'),
    request: call,
  };
};
