import type { Candidate } from './settling.ts';

/** An event that starts a run, as the statement for all cases is told of it. */
export const told = {
  ...{ place: 0, id: 'evt_2', workspace_id: 'wsp_1', trigger_id: 'trg_1', watch_id: 'wat_1', key: 'card 2' },
  ...{ upstream_id: 'act_2', outcome: 'fired', wait_ms: 0, delivery: 'live', subject: 'card', upstream_order: '2' },
  ...{ occurred_at: '2026-11-15T10:00:00Z', received_at: '2026-11-15T10:00:01Z', summary: 'A card' },
  ...{ actor: { id: 'ben' }, data: { card: 1 }, occurrence: { kind: 'x' }, roster: 5, account_id: 'acc_1' },
  ...{ traces: ['act_2', 'card_2'], suspect: false, run_id: 'run_2', agent_id: 'agt_1', agent_version: 2 },
  ...{ tool_id: 'tol_1', lane: 'trg_1 card', started_by: { event: 1 }, input: { a: 1 }, may_send: true },
  ...{ created_at: '2026-11-15T10:00:01Z', tool_version: 3, effect_id: 'eff_2', effect_account: 'acc_1', ordinal: 1 },
  ...{ effect: 'write', method: 'POST', path: '/1/cards', request: '{"b":2}', digest: '\\x01' },
};

/** The same as it is judged in our process. */
export const candidateOf = (event: string): Candidate => {
  const row = { ...(JSON.parse(event) as typeof told & { account_seen: string | null }) };
  const at = new Date(row.occurred_at);
  return {
    event: { ...row, occurred_at: at, received_at: new Date(row.received_at) },
    run: {
      ...row,
      id: row.run_id,
      lane_order: row.upstream_order,
      created_at: new Date(row.created_at),
      end_user_id: null,
    },
    guess: { roster: row.roster, accountSeen: row.account_seen, own: { traces: row.traces, suspect: row.suspect } },
    prepared: {
      run: { tool_version: row.tool_version },
      first: { ...row, id: row.effect_id, accountId: row.effect_account, digest: Buffer.from('01', 'hex') },
    },
  } as unknown as Candidate;
};
