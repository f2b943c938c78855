import type { Api } from '../api.ts';
import { invalidValue, plain } from '../refusal.ts';
import { type Endpoint, get } from '../router.ts';

const most = 10;

const parsed = (body: unknown): unknown => {
  if (typeof body !== 'string') return body;
  try {
    return JSON.parse(body);
  } catch {
    return { message: body };
  }
};

/** Up to ten GET routes in one; each answer is an object with its status as the only key. */
export const batchRoute = (api: () => Api): Endpoint =>
  get('/batch', [], async (call) => {
    const urls = call.input.text('urls');
    if (call.actor && (urls === undefined || urls === '')) throw invalidValue('urls');
    const routes = (urls ?? '').split(',');
    if (routes.length > most) throw plain(400, 'invalid value for urls: at most 10 routes');
    if (!routes.every((route) => route.startsWith('/'))) throw invalidValue('urls');
    const answers: Record<string, unknown>[] = [];
    for (const route of routes) {
      // Commas and question marks of a route come encoded once more.
      const { status, body } = await api().within(call.caller, route.replace(/%2C/gi, ',').replace(/%3F/gi, '?'));
      answers.push({ [status]: status === 200 ? body : parsed(body) });
    }
    return answers;
  });
