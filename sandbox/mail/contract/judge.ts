import type { Exchange } from '../../recording/exchange.ts';
import { isObject, pick } from '../values.ts';
import { problemsOf, uploadProblems } from './conformance.ts';

const api = '/v1.0';
const uploads = '/api/v2.0/attachmentSessions/';

const valueIn = ({ contentType, body }: Exchange): unknown => {
  if (body.length === 0) return undefined;
  return contentType.startsWith('application/json') ? JSON.parse(body.toString()) : body.toString();
};

const listIn = (value: unknown, name: string): Record<string, unknown>[] => {
  const list = isObject(value) ? pick(value, name) : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
};

/** Each part of a batch is an answer of its own. */
const batchProblems = ({ asked }: Exchange, answered: unknown): string[] => {
  const parts = listIn(JSON.parse(asked.toString()), 'requests');
  return listIn(answered, 'responses').flatMap(({ id, status, body }) => {
    const part = parts.find((each) => String(pick(each, 'id')).toLowerCase() === String(id).toLowerCase());
    if (part === undefined) return [`nobody asked for part ${String(id)}`];
    const url = String(pick(part, 'url')).replace(/\?.*/s, '');
    const method = String(pick(part, 'method')).toUpperCase();
    return problemsOf(method, url.startsWith('/') ? url : `/${url}`, Number(status), body);
  });
};

export const judge = {
  describes: (url: string): boolean => url.startsWith(`${api}/`) || url.startsWith(uploads),
  problems: (exchange: Exchange): string[] => {
    const { method, url, status } = exchange;
    const { pathname } = new URL(url, 'http://sandbox');
    const value = valueIn(exchange);
    if (pathname.startsWith(uploads)) return uploadProblems(status, value);
    const path = pathname.slice(api.length);
    const parts = /^\/\$batch\/?$/i.test(path) && status === 200 ? batchProblems(exchange, value) : [];
    return [...problemsOf(method, path, status, value), ...parts];
  },
};
