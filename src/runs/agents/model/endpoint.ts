import { isIP } from 'node:net';
import type { ModelSettings } from '#config';
import { Fault } from '#kit';
import type { Problem } from '../../templates/index.ts';
import { refuseProblems } from '../../tools/inputs.ts';
import type { ModelRunner } from '../definition.ts';
import type { Endpoint } from './port.ts';

/** The operator's provider, and whether addresses of this machine may be used: the sandbox's own. */
export type ModelHouse = { settings: ModelSettings | undefined; plainLoopback: boolean };

const plainUrl = (url: string): string => url.replace(/\/+$/, '');

const isLoopback = (hostname: string): boolean => hostname === '127.0.0.1' || hostname === '[::1]';

const addressProblem = (given: string, { plainLoopback }: ModelHouse): string | undefined => {
  const url = URL.parse(given);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return 'must be an https address';
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    return 'must be an address without a name, a password, a query or a fragment';
  }
  if (plainLoopback && isLoopback(url.hostname)) return undefined;
  if (url.protocol !== 'https:') return 'must be an https address';
  return isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0 ? undefined : 'must be named, not numbered';
};

/** Where a model is asked. The operator's key goes to the operator's address and nowhere else. */
const resolve = (runner: ModelRunner, house: ModelHouse): { endpoint: Endpoint } | { problems: Problem[] } => {
  const { settings } = house;
  const provider = runner.provider ?? settings?.provider ?? 'openai-compatible';
  const own = settings !== undefined && settings.provider === provider ? settings : undefined;
  const baseUrl = runner.baseUrl ?? own?.baseUrl;
  const isOwn = own !== undefined && baseUrl !== undefined && plainUrl(baseUrl) === plainUrl(own.baseUrl);
  const model = runner.model ?? (isOwn ? own.name : undefined);
  const problems: Problem[] = [];
  if (baseUrl === undefined) {
    problems.push({
      field: 'runner.baseUrl',
      message: `must be given: the operator has set up no "${provider}" models`,
    });
  } else if (!isOwn) {
    const message = addressProblem(baseUrl, house);
    if (message !== undefined) problems.push({ field: 'runner.baseUrl', message });
  }
  if (model === undefined) problems.push({ field: 'runner.model', message: 'must be given' });
  if (baseUrl === undefined || model === undefined || problems.length > 0) return { problems };
  return { endpoint: { provider, baseUrl: plainUrl(baseUrl), model, apiKey: isOwn ? own.apiKey : undefined } };
};

export const modelProblems = (runner: ModelRunner, house: ModelHouse): Problem[] => {
  const found = resolve(runner, house);
  return 'problems' in found ? found.problems : [];
};

export const endpointOf = (runner: ModelRunner, house: ModelHouse): Endpoint => {
  const found = resolve(runner, house);
  if ('endpoint' in found) return found.endpoint;
  // The operator's settings were others when the agent was saved.
  throw found.problems.length > 0
    ? refuseProblems('The model of this agent cannot be asked.', found.problems)
    : new Fault('invalid_input', 'The model of this agent cannot be asked.');
};
