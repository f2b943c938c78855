import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeEach, expect, test } from 'vitest';
import type { Accounts } from '#accounts';
import { Catalogue, Fault } from '#kit';
import { silentLog } from '#log';
import { createMcp } from '#mcp';
import type { Agents, RemoteRuns, Runs, Tools } from '#runs';
import type { Caller } from '#workspaces';
import { integrations } from '../integrations/index.ts';

const actor = { kind: 'key' as const, id: 'key_1', name: 'Key' };
const caller: Caller = { kind: 'key', workspaceId: 'ws_1', actor, keyId: actor.id, scopes: ['run', 'sends:autopilot'] };

let status: 'waiting_approval' | 'queued' | 'succeeded' = 'waiting_approval';
const waiting = { service: 'mail', code: 'upstream_unavailable', tries: 3, nextTryAt: new Date() };
let asked: { maySend: boolean }[] = [];
let refused: Fault | undefined;
let account: object = {};
beforeEach(() => {
  refused = undefined;
  status = 'waiting_approval';
  asked = [];
});

/** Runs of which each waits for a person, as far as this room knows them. */
const runs = {
  runStep: (request: { maySend: boolean }) => {
    asked.push(request);
    if (refused !== undefined) throw refused;
    return Promise.resolve({ runId: 'run_1', approval: { id: 'apr_1', digest: 'secret digest', status: 'pending' } });
  },
  get: (workspaceId: string, id: string) => {
    if (id === 'run_defect') throw new Error('a defect');
    if (workspaceId !== 'ws_1' || id !== 'run_1') throw new Fault('not_found', 'There is no such run.');
    const journal = [{ seq: 1, at: new Date(), kind: 'waiting_approval', data: { approvalId: 'apr_1' } }];
    const output = status === 'succeeded' ? { sent: 'x'.repeat(100_000) } : null;
    const more = status === 'queued' ? { waiting } : {};
    return Promise.resolve({ id, status, output, warnings: [], error: null, journal, startedBy: actor, ...more });
  },
  told: () => Promise.resolve(undefined),
} as unknown as Runs;

const mcp = createMcp({
  catalogue: new Catalogue(integrations),
  accounts: { get: () => Promise.resolve(account) } as unknown as Accounts,
  runs,
  tools: {
    list: () => Promise.resolve({ items: [] }),
    names: () => Promise.reject(new Error('a defect')),
  } as unknown as Tools,
  agents: {} as Agents,
  remote: {} as RemoteRuns,
  storageFault: () => undefined,
  publicUrl: new URL('https://switchboard.test'),
  version: '1.0.0',
  log: silentLog,
});

const connect = async (options: ClientOptions = {}) => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' }, ...options });
  const fetch = async (url: string | URL, init?: RequestInit) => {
    const request = new Request(url, init);
    return mcp.serve({ body: await request.clone().text(), request, caller, agentId: undefined, requestId: 'req_1' });
  };
  await client.connect(new StreamableHTTPClientTransport(new URL('https://switchboard.test/mcp'), { fetch }));
  return client;
};

const mail = { to: ['ben@sandbox.test'], subject: 'Hello', body: 'Hi' };

test('a send that waits is answered with a handle and the page where people decide, and with nothing to decide by', async () => {
  const client = await connect();
  const { structuredContent, isError } = await client.callTool({ name: 'mail_send_email', arguments: mail });

  expect(isError).toBeFalsy();
  expect(structuredContent).toEqual({
    status: 'waiting_approval',
    runId: 'run_1',
    approval: { id: 'apr_1', url: 'https://switchboard.test/approvals/apr_1' },
    next: expect.stringContaining('switchboard_get_run'),
  });
  expect((await client.listTools()).tools.map(({ name }) => name).join()).not.toMatch(/approv|decide/);
});

test('of an account that a person must see to first, the name and the page are told', async () => {
  const client = await connect();
  const next = async (code: 'reconnect_needed' | 'conflict', more: object) => {
    refused = new Fault(code, 'Not now.', { details: { accountId: 'acc_1' } });
    account = { name: 'ben@sandbox.test', integration: 'mail', state: 'connected', ...more };
    const { structuredContent } = await client.callTool({ name: 'mail_send_email', arguments: mail });
    return (structuredContent as { error: { next: string } }).error.next;
  };
  const page = 'https://switchboard.test/integrations/mail';
  expect(await next('reconnect_needed', {})).toContain(`connect ben@sandbox.test again at ${page}`);
  expect(await next('conflict', { state: 'paused' })).toContain(`resume ben@sandbox.test at ${page}`);
  expect(await next('conflict', {})).toBe('Look at the present state, then decide.');
  // End users of a platform have no page here.
  expect(await next('reconnect_needed', { endUserId: 'u1' })).not.toContain('ben@sandbox.test');
});

test('a failure of ours gives a reference to quote, in a result and in a refusal of the protocol', async () => {
  const client = await connect();
  const { structuredContent: told } = await client.callTool({
    name: 'switchboard_get_run',
    arguments: { runId: 'run_defect' },
  });
  expect(told).toMatchObject({ error: { code: 'internal', message: expect.stringContaining('req_1') } });
  expect(JSON.stringify(told)).not.toContain('a defect');
  await expect(client.callTool({ name: 'nothing_of_ours', arguments: {} })).rejects.toThrow('req_1');
});

test('whatever the key may do elsewhere, nothing leaves from here by itself', async () => {
  const client = await connect();
  await client.callTool({ name: 'mail_send_email', arguments: mail });

  expect(asked.map(({ maySend }) => maySend)).toEqual([false]);
});

test('the handle tells how it stands, and a long output part by part', async () => {
  const client = await connect();
  const look = async (more: object = {}) => {
    const given = { name: 'switchboard_get_run', arguments: { runId: 'run_1', ...more } };
    return (await client.callTool(given)).structuredContent as {
      status: string;
      outputText: string;
      goOnWith?: { arguments: object };
    };
  };

  expect((await look()).status).toBe('waiting_approval');
  status = 'succeeded';
  const first = await look();
  const second = await look(first.goOnWith?.arguments);

  expect(second.goOnWith).toBeUndefined();
  expect(JSON.parse(first.outputText + second.outputText)).toEqual({ sent: 'x'.repeat(100_000) });
});

test('a client that can open pages is led to the approval, and nothing is done twice when it comes back', async () => {
  const client = await connect({ capabilities: { elicitation: { url: {} } } });
  const opened: unknown[] = [];
  client.setRequestHandler('elicitation/create', ({ params }) => {
    opened.push('url' in params ? params.url : undefined);
    status = 'succeeded';
    return { action: 'accept' };
  });

  const { structuredContent } = await client.callTool({ name: 'mail_send_email', arguments: mail });

  expect(opened).toEqual(['https://switchboard.test/approvals/apr_1']);
  expect(structuredContent).toMatchObject({ status: 'succeeded', runId: 'run_1' });
  expect(asked).toHaveLength(1);
});

test('a run that waits for a service says for which, how often it was asked and when it is asked again', async () => {
  status = 'queued';
  const client = await connect();

  const { structuredContent } = await client.callTool({ name: 'switchboard_get_run', arguments: { runId: 'run_1' } });

  expect(structuredContent).toMatchObject({
    status: 'queued',
    waiting: { ...waiting, nextTryAt: waiting.nextTryAt.toISOString() },
    next: expect.stringContaining('nextTryAt'),
  });
});
