import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { createSealer, keyRingInFolder, newId } from '#store';
import { appSecret, type Watched } from './event-load.ts';

export const ownerKey = 'owner-key-of-the-events-benchmark';

type Place = { origin: string; dataDir: string; database: string };

const callerOf =
  (origin: string) =>
  async (path: string, body: unknown): Promise<string> => {
    const headers = { authorization: `Bearer ${ownerKey}`, 'content-type': 'application/json' };
    const reply = await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!reply.ok) throw new Error(`POST ${path}: ${await reply.text()}`);
    return ((await reply.json()) as { id: string }).id;
  };

const tool = {
  name: 'Comment',
  description: 'Comments on a card.',
  inputs: [
    { name: 'cardId', type: 'string', required: true, description: 'The card.' },
    { name: 'text', type: 'string', required: true, description: 'The comment.' },
    { name: 'account', type: 'account', integration: 'board', permissionType: 'standard' },
  ],
  steps: [
    {
      key: 'comment',
      step: 'board.add_comment_to_card',
      account: { input: 'account' },
      input: { cardId: '{{inputs.cardId}}', text: '{{inputs.text}}' },
      permission: 'autopilot',
    },
  ],
  output: '{{steps.comment.output.commentId}}',
};

/** The agent comments on the card of which it is told, as the account by which it was told. */
const mapping = {
  cardId: '{{event.data.card.id}}',
  text: '{{event.data.card.name}} moved to {{event.data.to.name}}.',
  account: '{{event.account.id}}',
};

const boardId = (n: number): string => `6ae859bc${n.toString(16).padStart(16, '0')}`;
const credentialOf = (n: number) => ({
  key: n.toString(16).padStart(32, '0'),
  token: `token${n}`,
  secret: appSecret,
});

type Original = { table: string; column: string; id: string };

/** Copies of one row, each with some columns of its own. */
const copy = async (client: pg.Client, { table, column, id }: Original, changes: readonly object[]): Promise<void> => {
  for (let at = 0; at < changes.length; at += 5_000) {
    await client.query(
      `insert into ${table} select (json_populate_record(original, change)).*
       from ${table} original, json_array_elements($1::json) change where original.${column} = $2`,
      [JSON.stringify(changes.slice(at, at + 5_000)), id],
    );
  }
};

/**
 * Accounts of as many people, each with triggers on boards of their own. The first is made by the API; the others are
 * copies of what it stored, under ids, credentials and addresses of their own.
 */
export const watchBoards = async (
  { origin, dataDir, database }: Place,
  { accounts, perAccount = 1 }: { accounts: number; perAccount?: number },
): Promise<Watched[]> => {
  const make = callerOf(origin);
  const toolId = await make('/v1/tools', tool);
  const agentId = await make('/v1/agents', {
    name: 'Commenter',
    instructions: '',
    tools: [{ toolId, permission: 'autopilot', recipients: 'guarded' }],
    runner: { type: 'tool', toolId, input: mapping },
  });
  const auth = { type: 'key_token', ...credentialOf(0) };
  const accountId = await make('/v1/accounts', { integration: 'board', auth });
  const config = { boards: [boardId(0)] };
  const triggerId = await make('/v1/triggers', { agentId, accountId, type: 'board.card_moved', config });

  const client = new pg.Client({ connectionString: database });
  client.on('error', () => {});
  await client.connect();
  // The house's own view.
  await client.query("select set_config('app.workspace', '*', false)");
  type First = { id: string; workspace_id: string; callback: string; token: string; given: object };
  const { rows } = await client.query<First>(
    'select w.id, w.workspace_id, w.callback, w.token, t.config as given from watches w, triggers t',
  );
  const [first] = rows;
  if (first === undefined) throw new Error('the first trigger watches nothing');
  const sealer = createSealer(keyRingInFolder(dataDir));
  const at = new Date();
  const people = Array.from({ length: accounts }, (_, n) => {
    const id = n === 0 ? accountId : newId('acc', at);
    const place = { workspace: first.workspace_id, table: 'accounts', row: id, column: 'credential' };
    const identity = { id: `token${n}`, username: `token${n}`, name: `token${n}` };
    const credential = `\\x${sealer.seal(JSON.stringify(credentialOf(n)), place).toString('hex')}`;
    return { id, name: identity.name, identity, identity_id: identity.id, credential };
  });
  const boards = Array.from({ length: accounts * perAccount }, (_, n) => {
    const token = n === 0 ? first.token : randomBytes(24).toString('base64url');
    return {
      board: boardId(n),
      accountId: people[Math.floor(n / perAccount)]?.id,
      watchId: n === 0 ? first.id : newId('wch', at),
      triggerId: n === 0 ? triggerId : newId('trg', at),
      token,
      url: first.callback.replace(first.token, token),
      registration: { id: `hook${n + 1}` },
    };
  });
  const others = boards.slice(1);
  await copy(client, { table: 'accounts', column: 'id', id: accountId }, people.slice(1));
  await copy(
    client,
    { table: 'triggers', column: 'id', id: triggerId },
    others.map(({ board, accountId: account_id, triggerId: id }) => {
      return { id, account_id, config: { ...first.given, boards: [board] } };
    }),
  );
  await copy(
    client,
    { table: 'watches', column: 'id', id: first.id },
    others.map(({ board, accountId: account_id, watchId: id, token, url: callback, registration }) => {
      return { id, account_id, resource: `board/${board}`, token, callback, registration };
    }),
  );
  await copy(
    client,
    { table: 'trigger_watches', column: 'trigger_id', id: triggerId },
    others.map(({ triggerId: trigger_id, watchId: watch_id }) => ({ trigger_id, watch_id })),
  );
  await client.query('analyze accounts, triggers, watches, trigger_watches');
  await client.end();
  return boards.map(({ board, url }) => ({ board, url }));
};
