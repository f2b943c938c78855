import { expect, test } from 'vitest';
import { Catalogue } from '#kit';
import type { RemoteRuns, Tool, Tools } from '#runs';
import type { Caller } from '#workspaces';
import { integrations } from '../integrations/index.ts';
import { createOffer } from './offer.ts';

const actor = { kind: 'key' as const, id: 'key_1', name: 'Key' };
const caller: Caller = { kind: 'key', workspaceId: 'ws_1', actor, keyId: actor.id, scopes: ['run'] };
const view = { caller, agent: undefined, requestId: 'req_1' };
const catalogue = new Catalogue(integrations);

/** What a workspace with that many tools offers, page by page. */
const pagesOf = async (count: number): Promise<string[][]> => {
  const all = Array.from({ length: count }, (_, at) => ({ id: `tool_${at}`, name: `Made ${at}` }));
  const list = (_: string, { limit, cursor = '0' }: { limit: number; cursor?: string }) => {
    const end = Number(cursor) + limit;
    const items = all.slice(Number(cursor), end).map((tool) => ({ ...tool, description: '', inputs: [], steps: [] }));
    return Promise.resolve({ items: items as unknown as Tool[], ...(end < count ? { nextCursor: `${end}` } : {}) });
  };
  const tools = { list, names: () => Promise.resolve(all) } as unknown as Tools;
  const offer = createOffer({ catalogue, tools, remote: {} as RemoteRuns });
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await offer.list(view, cursor);
    pages.push(page.tools.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
};

test('clients that ask for no second page see everything in most workspaces', async () => {
  const [first = [], ...others] = await pagesOf(150);
  expect(others).toEqual([]);
  expect(first).toEqual(expect.arrayContaining(['made_149', 'mail_send_email', 'board_api_call']));
});

test('more tools than fit on a page come on the next, each once', async () => {
  const pages = await pagesOf(600);
  const names = pages.flat();
  expect(pages.length).toBeGreaterThan(2);
  expect(names).toHaveLength(1 + 600 + catalogue.steps.length);
  expect(new Set(names).size).toBe(names.length);
});
