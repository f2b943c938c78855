import { expect, test } from 'vitest';
import type { Accounts } from '#accounts';
import type { DoneLately } from '#effects';
import type { AgentTool } from '../agents/definition.ts';
import type { Logbook } from '../execution.ts';
import type { Performer, StepWork } from '../perform.ts';
import type { RunRow } from '../run-records.ts';
import type { Starter } from '../starter.ts';
import { compileTool, type Versions } from '../versions.ts';
import { createToolProgram, createToolWalk, type ToolWork } from './program.ts';

const tool = compileTool({
  name: 'Attach',
  description: '',
  inputs: [],
  steps: [{ key: 'it', step: 'board.attach', account: { id: 'acc_1' }, input: {}, permission: 'autopilot' }],
});
const run = { event_id: 'evt_1', input: {}, agent_id: 'agt_1', end_user_id: null, attempts: 1 } as unknown as RunRow;

type Given = {
  call?: number;
  maySend?: boolean;
  input?: RunRow['input'];
  by?: Partial<RunRow>;
  permission?: AgentTool['permission'];
};

/** What a step of an agent's run is given to do, whose tool was given for anyone and is set so by now. */
const workOf = async (
  recipients: AgentTool['recipients'],
  { call, maySend = true, input = {}, by = {}, permission = 'autopilot' }: Given = {},
): Promise<StepWork> => {
  let work: StepWork | undefined;
  const integration = { name: 'board' };
  const step = { input: { safeParse: () => ({ success: true, data: {} }) }, scopes: [], integration };
  const perform: Performer['perform'] = async (asked) => {
    work = asked;
    return { output: null, warnings: [] };
  };
  const walk = createToolWalk({
    performer: { stepOf: () => step, perform } as unknown as Performer,
    accounts: { choose: async () => ({ id: 'acc_1', scopes: [] }) } as unknown as Accounts,
    doneLately: {} as DoneLately,
    rulesNow: async () => ({ permission, recipients }),
    requireGiven: async () => {},
  });
  const ofAgent = { toolId: 'tool_1', recipients: 'anyone' as const, fixed: [] };
  const autopilot = by.agent_id === null ? undefined : ofAgent;
  const asked = { tool, given: {}, maySend, autopilot, from: 0, finished: new Map() };
  const logbook = { note: () => {} } as unknown as Logbook;
  await walk({ run: { ...run, ...by, input }, begun: true }, logbook, call === undefined ? asked : { ...asked, call });
  return work as StepWork;
};

test('who sets recipients back to guarded means what has begun, too: it has nothing loaded that would tell a stranger', async () => {
  const stranger = ['https://evil.example/?q=secret'];
  expect(await (await workOf('anyone')).lure?.(stranger)).toBeUndefined();
  expect(await (await workOf('guarded')).lure?.(stranger)).toContain('https://evil.example/?q=secret');
});

test('a model that must ask before it sends loads nothing for that which nobody has named', async () => {
  const stranger = 'https://evil.example/?q=secret';
  const mayLoad = async (...given: Parameters<typeof workOf>) => (await workOf(...given)).mayLoad?.(stranger);
  expect(await mayLoad('anyone')).toBe(true);
  expect(await mayLoad('guarded')).toBe(false);
  expect(await mayLoad('anyone', { maySend: false })).toBe(false);
  for (const input of [{ event: { data: { text: stranger } } }, { input: { files: [stranger] } }])
    expect(await mayLoad('anyone', { maySend: false, input })).toBe(true);
});

test('what begins at once asks nobody whether the agent still has its tool; each later call does', async () => {
  expect((await workOf('guarded')).permit).toBeUndefined();
  expect((await workOf('guarded', { call: 0 })).permit).toBeDefined();
});

test('a step that is set to ask means what somebody began by hand, too, once that has waited', async () => {
  const byHand = {
    agent_id: null,
    tool_id: 'tool_1',
    started_by: { kind: 'member', id: 'per_1', name: 'Ada' },
  } as const;
  const mayIn = async (attempts: number, permission: AgentTool['permission']) =>
    (await workOf('anyone', { by: { ...byHand, attempts }, permission })).maySend;
  expect(await mayIn(1, 'approval')).toBe(true);
  expect(await mayIn(2, 'autopilot')).toBe(true);
  expect(await mayIn(2, 'approval')).toBe(false);
});

test('a tool goes on asking before it sends when who may send unasked no longer does', async () => {
  let work: ToolWork | undefined;
  const program = createToolProgram({
    versions: { tool: async () => tool } as unknown as Versions,
    walk: async (_live, _logbook, given) => {
      work = given;
      return { output: null, warnings: [] };
    },
    starter: { maySend: async ({ attempts }) => attempts === 1 } as Starter,
  });
  const logbook = { earlier: async () => [] } as unknown as Logbook;
  const mayIn = async (attempts: number) => {
    const byKey = { ...run, agent_id: null, tool_id: 'tool_1', tool_version: 1, may_send: true, attempts };
    await program({ run: byKey, begun: true }, logbook);
    return work?.maySend;
  };
  expect([await mayIn(1), await mayIn(2)]).toEqual([true, false]);
});
