import { isIP } from 'node:net';
import type { ModelSettings } from '#config';
import { Fault } from '#kit';
import type { Database } from '#store';
import type { Problem } from '../../templates/index.ts';
import { refuseProblems } from '../../tools/inputs.ts';
import type { ModelRunner } from '../definition.ts';
import type { Endpoint } from './port.ts';

/** The operator's provider, and whether addresses of this machine may be used: the sandbox's own. */
export type ModelHouse = { settings: ModelSettings | undefined; plainLoopback: boolean };

/** With what the workspace itself has set, which is asked first. */
export type OwnModelHouse = ModelHouse & { own: ModelSettings | undefined };

/** Looked up for each call: keys are not kept. */
export type HouseOf = (workspaceId: string, db?: Database) => Promise<OwnModelHouse>;

const plainUrl = (url: string): string => url.replace(/\/+$/, '');

const isLoopback = (hostname: string): boolean => hostname === '127.0.0.1' || hostname === '[::1]';

export const modelAddressProblem = (
  given: string,
  { plainLoopback }: Pick<ModelHouse, 'plainLoopback'>,
): string | undefined => {
  const url = URL.parse(given);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return 'must be an https address';
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    return 'must be an address without a name, a password, a query or a fragment';
  }
  if (plainLoopback && isLoopback(url.hostname)) return undefined;
  if (url.protocol !== 'https:') return 'must be an https address';
  return isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0 ? undefined : 'must be named, not numbered';
};

/** Where a model is asked. A key goes to the address that it was set with, and nowhere else. */
const resolve = (runner: ModelRunner, house: OwnModelHouse): { endpoint: Endpoint } | { problems: Problem[] } => {
  const known = [house.own, house.settings].filter((each) => each !== undefined);
  const provider = runner.provider ?? known[0]?.provider ?? 'openai-compatible';
  const goesTo = ({ baseUrl }: ModelSettings) =>
    runner.baseUrl === undefined || plainUrl(runner.baseUrl) === plainUrl(baseUrl);
  const set = known.find((each) => each.provider === provider && goesTo(each));
  const baseUrl = runner.baseUrl ?? set?.baseUrl;
  const model = runner.model ?? set?.name;
  const problems: Problem[] = [];
  if (baseUrl === undefined) {
    problems.push({
      field: 'runner.baseUrl',
      message: `must be given: neither the settings nor the operator name "${provider}" models`,
    });
  } else if (set === undefined) {
    const message = modelAddressProblem(baseUrl, house);
    if (message !== undefined) problems.push({ field: 'runner.baseUrl', message });
  }
  if (model === undefined) problems.push({ field: 'runner.model', message: 'must be given' });
  if (baseUrl === undefined || model === undefined || problems.length > 0) return { problems };
  return { endpoint: { provider, baseUrl: plainUrl(baseUrl), model, apiKey: set?.apiKey } };
};

export const modelProblems = (runner: ModelRunner, house: OwnModelHouse): Problem[] => {
  const found = resolve(runner, house);
  return 'problems' in found ? found.problems : [];
};

export const endpointOf = (runner: ModelRunner, house: OwnModelHouse): Endpoint => {
  const found = resolve(runner, house);
  if ('endpoint' in found) return found.endpoint;
  // The operator's settings were others when the agent was saved.
  throw found.problems.length > 0
    ? refuseProblems('The model of this agent cannot be asked.', found.problems)
    : new Fault('invalid_input', 'The model of this agent cannot be asked.');
};
