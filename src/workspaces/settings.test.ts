import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLog } from '#log';
import { newId, openStore, type Store } from '#store';
import { type Answer, bootstrapKey } from '#test';
import { eventScene, type Scene } from '../../test/event-scene.ts';

let scene: Scene;
let store: Store;
let accountId: string;
let writer: string;
let reader: string;

const text = (name: string) => ({ name, type: 'string', required: true });

/** An agent that writes to whom the mail's subject names; after a look at the folders, if it is told to. */
const newWriter = async (looks: boolean): Promise<string> => {
  const send = {
    key: 'send',
    step: 'mail.send_email',
    account: { id: accountId },
    input: { to: ['{{inputs.to}}'], subject: 'Answer', body: 'Hello' },
    permission: 'autopilot',
  };
  const look = { key: 'look', step: 'mail.list_folders', account: { id: accountId } };
  const { id: toolId } = await scene.made('POST', '/v1/tools', {
    name: 'Write',
    inputs: [text('to')],
    steps: looks ? [look, send] : [send],
  });
  const agentId = await scene.newAgent('Writer', toolId, { to: '{{event.data.message.cc.0.address}}' });
  const searchFilter = `subject:${looks ? 'look' : 'write'}`;
  return (await scene.newTrigger(agentId, 'mail.new_email', accountId, { searchFilter })).id;
};

beforeAll(async () => {
  scene = await eventScene({ mail: true, intervals: { sweepMs: 200 } });
  store = openStore({ connectionString: scene.bench.connectionString, max: 1, log: silentLog });
  accountId = await scene.bench.connectMail();
  writer = await newWriter(false);
  reader = await newWriter(true);
});
afterAll(async () => {
  await store.close();
  await scene[Symbol.asyncDispose]();
});

const change = (settings: object, key = bootstrapKey) =>
  scene.bench.call('PATCH', '/v1/settings', { key, body: settings });
const settings = async () => (await scene.bench.owned('GET', '/v1/settings')).body;

const deliver = async (mail: object): Promise<{ internetMessageId: string }> => {
  const answer = await fetch(`${scene.bench.mail.url}/_control/deliver`, {
    method: 'POST',
    body: JSON.stringify(mail),
    headers: { 'content-type': 'application/json' },
  });
  return (await answer.json()) as { internetMessageId: string };
};

/** How many mails of agents were sent by the account. */
const sends = async (): Promise<number> =>
  scene.bench.mail.world.outbox.filter(({ subject }) => subject === 'Answer').length;

/** How a run ends whose agent writes to these people after a mail of Ben's. */
const writes = async (triggerId: string, subject: string, cc: string): Promise<{ status: string; why?: string }> => {
  const before = new Set((await scene.events({ triggerId })).map(({ id }) => id));
  await deliver({ to: 'ada@sandbox.test', from: 'ben@sandbox.test', cc: [cc], subject, body: 'Hello' });
  const found = await scene.until(
    async () => (await scene.events({ triggerId, outcome: 'fired' })).find(({ id }) => !before.has(id)),
    (event) => event !== undefined,
  );
  const run = await scene.until(
    () => scene.run(found.runId),
    ({ status }) => !['queued', 'running'].includes(status),
  );
  const { items } = await scene.made('GET', '/v1/approvals?status=pending');
  const waiting = items.find(({ runId }: Answer['body']) => runId === run.id);
  return { status: run.status, why: waiting?.cause.why };
};

test('what is set is read back, unknown fields and impossible values are refused', async () => {
  expect(await settings()).toMatchObject({
    retention: { historyDays: 30, auditDays: 365, fileDays: 7 },
    sends: { perRun: 5, perAccountHour: 30, strict: false },
    allowedRecipients: {},
    model: null,
  });
  const { body } = await change({ allowedRecipients: { [accountId]: ['Ann@Example.com', '*@partner.example'] } });
  expect(body.allowedRecipients).toEqual({ [accountId]: ['ann@example.com', '*@partner.example'] });
  // Accounts that are not named keep theirs, also where none is named.
  const none = await change({ allowedRecipients: {} });
  expect([none.status, none.body.allowedRecipients]).toEqual([200, body.allowedRecipients]);
  await change({ sends: { perRun: 2 } });
  expect((await settings()).sends).toEqual({ perRun: 2, perAccountHour: 30, strict: false });
  for (const wrong of [
    { sends: { perRun: -1 } },
    { sends: { more: 1 } },
    { retention: { fileDays: 0 } },
    { allowedRecipients: { [accountId]: ['*'] } },
    { allowedRecipients: { [accountId]: ['*@*'] } },
    { allowedRecipients: { [accountId]: ['a@b.example,c@d.example'] } },
    { allowedRecipients: { acc_00000000000000000000000000: ['a@b.example'] } },
  ]) {
    expect([(await change(wrong)).status, wrong]).toEqual([400, wrong]);
  }
  await change({ allowedRecipients: { [accountId]: [] }, sends: { perRun: 5 } });
  expect((await settings()).allowedRecipients).toEqual({});
});

test('a key that may not let things leave can narrow what agents may send, and not widen it', async () => {
  const { key } = await scene.made('POST', '/v1/api-keys', { name: 'admin', scopes: ['admin'] });
  await change({ sends: { strict: true } });
  const answers = await Promise.all(
    [
      { sends: { perRun: 6 } },
      { sends: { perAccountHour: 31 } },
      { sends: { strict: false } },
      { allowedRecipients: { [accountId]: ['a@b.example'] } },
    ].map((widening) => change(widening, key)),
  );
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  expect((await change({ sends: { perRun: 4 }, retention: { fileDays: 6 } }, key)).status).toBe(200);
  await change({ sends: { perRun: 5, strict: false } });
});

describe('on autopilot', () => {
  // Those in cc are people of the thread; the account's own address is, too.
  test('the settings say how often an agent sends without asking', async () => {
    expect((await writes(writer, 'write 1', 'eve@evil.example')).status).toBe('succeeded');
    await change({ sends: { perAccountHour: 1 } });
    expect(await writes(writer, 'write 2', 'eve@evil.example')).toMatchObject({
      status: 'waiting_approval',
      why: 'This account has sent once within the hour.',
    });
    await change({ sends: { perAccountHour: 30, perRun: 0 } });
    expect((await writes(writer, 'write 3', 'eve@evil.example')).why).toContain('This run has sent 0 times');
    await change({ sends: { perRun: 5 } });
    expect((await writes(writer, 'write 4', 'eve@evil.example')).status).toBe('succeeded');
  });

  test('many that are started at once do not send more than that together', async () => {
    const fired = () => scene.events({ triggerId: writer, outcome: 'fired' });
    const [sent, known] = [await sends(), (await fired()).map(({ id }) => id)];
    await change({ sends: { perAccountHour: sent + 3 } });
    const mail = { to: 'ada@sandbox.test', from: 'ben@sandbox.test', cc: ['eve@evil.example'], body: 'Hello' };
    await Promise.all(Array.from({ length: 9 }, (_, n) => deliver({ ...mail, subject: `write at once ${n}` })));
    const news = async () => (await fired()).filter(({ id }) => !known.includes(id));
    const runs: Answer['body'][] = await scene.until(
      async () => {
        const ids = (await news()).map(({ runId }) => runId);
        const { items } = await scene.made('GET', '/v1/runs?limit=100');
        return items.filter(({ id }: Answer['body']) => ids.includes(id));
      },
      (found) =>
        found.length === 9 && found.every(({ status }: Answer['body']) => !['queued', 'running'].includes(status)),
    );
    const ends = runs.map(({ status }) => status).toSorted();
    expect(ends).toEqual([...Array(3).fill('succeeded'), ...Array(6).fill('waiting_approval')]);
    expect(await sends()).toBe(sent + 3);

    const { items } = await scene.made('GET', '/v1/approvals?status=pending');
    const { id, digest, runId } = items.find((each: Answer['body']) => runs.some((run) => run.id === each.runId));
    await scene.made('POST', `/v1/approvals/${id}/approve`, { digest });
    await scene.until(
      () => scene.run(runId),
      ({ status }) => status === 'succeeded',
    );
    expect(await sends()).toBe(sent + 4);
    // Whoever waited for a person has one record, like everybody who sent.
    const { body: audit } = await scene.bench.owned('GET', '/v1/audit?limit=100');
    const ofRun = ({ details }: Answer['body']) => details.runId === runId && details.effect === 'send';
    expect(audit.items.filter(ofRun).map(({ action }: Answer['body']) => action)).toEqual(['effect.sent']);
    await change({ sends: { perAccountHour: 30 } });
  });

  test('strict settings make an agent ask that has read more, unless the allow-list names whom it writes to', async () => {
    expect((await writes(reader, 'look 1', 'eve@evil.example')).status).toBe('succeeded');
    await change({ sends: { strict: true } });
    expect((await writes(writer, 'write 5', 'eve@evil.example')).status).toBe('succeeded');
    const { status, why } = await writes(reader, 'look 2', 'eve@evil.example');
    expect([status, why]).toEqual(['waiting_approval', expect.stringContaining('strict')]);
    await change({ allowedRecipients: { [accountId]: ['*@evil.example'] } });
    expect((await writes(reader, 'look 3', 'eve@evil.example')).status).toBe('succeeded');
    await change({ sends: { strict: false }, allowedRecipients: { [accountId]: [] } });
  });
});

const answering = {
  reply: { messageId: '{{inputs.messageId}}', body: 'And you?' },
  send_email: { to: ['{{inputs.from}}'], subject: 'Re: {{inputs.subject}}', body: 'And you?' },
};

test.each([
  ['in one conversation', 'reply', 'ping'],
  ['by a new mail each time', 'send_email', 'pong'],
] as const)(
  'two agents that answer each other %s stop after three rounds, until a person looks at it',
  async (_, step, word) => {
    await change({ sends: { perAccountHour: 30 } });
    const input = answering[step];
    const it = { key: 'it', step: `mail.${step}`, account: { id: accountId }, input, permission: 'autopilot' };
    const tool = { name: `Answer ${word}`, inputs: [text('messageId'), text('from'), text('subject')], steps: [it] };
    const { id: toolId } = await scene.made('POST', '/v1/tools', tool);
    const agentId = await scene.newAgent(`Polite ${word}`, toolId, {
      messageId: '{{event.data.message.id}}',
      from: '{{event.data.message.from.address}}',
      subject: '{{event.data.message.subject}}',
    });
    await scene.newTrigger(agentId, 'mail.new_email', accountId, { searchFilter: `subject:${word}` });
    const { outbox } = scene.bench.mail.world;
    const answers = () => outbox.filter(({ subject }) => subject.toLowerCase().includes(word));
    // The other one is on another platform, and as polite.
    const other = async (round: number, inReplyTo: string | undefined): Promise<string> => {
      const headers = inReplyTo === undefined || step !== 'reply' ? {} : { headers: { 'In-Reply-To': inReplyTo } };
      const subject = step === 'reply' ? word : `${'Re: '.repeat(round)}${word}`;
      const mail = { to: 'ada@sandbox.test', from: 'bot@elsewhere.example', subject, body: 'Hi', ...headers };
      return (await deliver(mail)).internetMessageId;
    };
    const runs = async () => (await scene.bench.owned('GET', `/v1/runs?agentId=${agentId}`)).body.items;
    let last: string | undefined;
    for (let round = 1; round <= 4; round++) {
      last = await other(round, last);
      await scene.until(
        runs,
        (found) =>
          found.length === round &&
          found.every(({ status }: Answer['body']) => !['queued', 'running'].includes(status)),
      );
    }
    expect((await runs()).map(({ status }: Answer['body']) => status)).toEqual([
      'waiting_approval',
      'succeeded',
      'succeeded',
      'succeeded',
    ]);
    expect(answers()).toHaveLength(3);
  },
);

describe('a model of the workspace', () => {
  test('is asked with its own key, which nobody reads back', async () => {
    const asked: { authorization: string | undefined; model: string }[] = [];
    const message = { role: 'assistant', content: 'Done.' };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    const server = createServer((request, answer) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        asked.push({ authorization: request.headers.authorization, model: JSON.parse(body).model });
        answer.setHeader('content-type', 'application/json');
        answer.end(JSON.stringify({ id: 'x', created: 1, model: 'mine', choices, usage }));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const model = { provider: 'openai-compatible', baseUrl, model: 'mine' };
    const secret = 'sk-never-read-back';
    const set = await change({ model: { ...model, apiKey: secret } });
    expect(set.body.model).toEqual({ ...model, hasKey: true });
    const agent = { name: 'Thinker', tools: [], runner: { type: 'model' } };
    const { id } = await scene.made('POST', '/v1/agents', agent);
    const { runId } = await scene.made('POST', `/v1/agents/${id}/runs`, { input: {} });
    const run = await scene.until(
      () => scene.run(runId),
      ({ finishedAt }) => finishedAt !== null,
    );
    expect([run.status, asked]).toEqual(['succeeded', [{ authorization: `Bearer ${secret}`, model: 'mine' }]]);

    const { body: audit } = await scene.bench.owned('GET', '/v1/audit?limit=20');
    expect(JSON.stringify([audit, run, await settings()])).not.toContain(secret);
    const { rows } = await sql<{ row: string }>`select w::text as row from workspaces w`.execute(store.system);
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(secret).toString('hex'));

    expect((await change({ model: { ...model, model: 'other' } })).body.model.hasKey).toBe(true);
    const elsewhere = { ...model, baseUrl: 'https://models.example/v1' };
    expect((await change({ model: elsewhere })).body.model).toEqual({ ...elsewhere, hasKey: false });
    expect((await change({ model: null })).body.model).toBeNull();
    server.close();
  });

  test.each(['http://models.example/v1', 'https://10.0.0.1/v1', 'https://[fd00::1]/v1', 'https://a:b@models.example'])(
    'is not asked at %s',
    async (baseUrl) => {
      const { status, body } = await change({ model: { provider: 'anthropic', baseUrl, model: 'x', apiKey: 'k' } });
      expect([status, body.error.details.fields[0].field]).toEqual([400, 'model.baseUrl']);
    },
  );
});

test('what is older than the settings want is removed; what is open stays', async () => {
  const { id: workspaceId } = await scene.made('GET', '/v1/workspace');
  const db = store.of(workspaceId);
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
  const oldRun = async (days: number, finished: boolean) => {
    const id = newId('run', daysAgo(days));
    await sql`insert into runs (id, workspace_id, step_id, status, started_by, input, may_send, created_at, finished_at)
      values (${id}, ${workspaceId}, 'board.get_boards', ${finished ? 'succeeded' : 'waiting_approval'}, '{}', '{}', false,
        ${daysAgo(days)}, ${finished ? daysAgo(days) : null})`.execute(db);
    await sql`insert into journal (workspace_id, run_id, seq, at, kind, data)
      values (${workspaceId}, ${id}, 1, now(), 'started', '{}')`.execute(db);
    await sql`insert into effects (id, workspace_id, run_id, ordinal, account_id, effect, method, path, request, digest,
        state, intended_at)
      values (${newId('eff', daysAgo(days))}, ${workspaceId}, ${id}, 1, 'acc_x', 'write', 'POST', '/1/cards', '{}', '', 'sent',
        now())`.execute(db);
    return id;
  };
  const oldAudit = async (days: number) => {
    const id = newId('aud', daysAgo(days));
    await sql`insert into audit (id, workspace_id, at, actor, action, details)
      values (${id}, ${workspaceId}, ${daysAgo(days)}, '{}', 'x.y', '{}')`.execute(db);
    return id;
  };
  const oldFile = async (days: number) => {
    const id = newId('file', daysAgo(days));
    await sql`insert into files (id, workspace_id, name, content_type, size, created_at, expires_at)
      values (${id}, ${workspaceId}, 'x', 'text/plain', 0, ${daysAgo(days)}, ${daysAgo(days - 30)})`.execute(db);
    return id;
  };
  const [gone, open, young] = [await oldRun(21, true), await oldRun(21, false), await oldRun(19, true)];
  await sql`insert into watches (id, workspace_id, account_id, integration, resource, token, state, state_since, caught_up_at,
      created_at, next_look_at, next_check_at)
    values ('wch_quiet', ${workspaceId}, ${accountId}, 'mail', 'mailbox/x', 'quiet', 'broken', now(), ${daysAgo(25)}, now(),
      now() + interval '1 day', now() + interval '1 day')`.execute(db);
  const oldEvent = async (days: number, more: { runId?: string; watchId?: string } = {}) => {
    const id = newId('evt', daysAgo(days));
    await sql`insert into events (id, workspace_id, trigger_id, watch_id, key, upstream_id, outcome, occurred_at, received_at,
        delivery, run_id, upstream_order, summary)
      values (${id}, ${workspaceId}, 'trg_x', ${more.watchId ?? null}, ${id}, 'x', 'fired', ${daysAgo(days)}, ${daysAgo(days)},
        'live', ${more.runId ?? null}, '', '')`.execute(db);
    return id;
  };
  const [oldEvent1, oldEvent2] = [await oldEvent(21, { runId: gone }), await oldEvent(26, { watchId: 'wch_quiet' })];
  const [ofOpen, notMetAgain] = [await oldEvent(21, { runId: open }), await oldEvent(24, { watchId: 'wch_quiet' })];
  const oldGap = async (days: number) => {
    const id = newId('gap', daysAgo(days));
    await sql`insert into gaps (id, workspace_id, watch_id, at, text)
      values (${id}, ${workspaceId}, 'wch_quiet', ${daysAgo(days)}, 'x')`.execute(db);
    return id;
  };
  const [forgotten, gap] = [await oldGap(21), await oldGap(19)];
  const [oldRecord, record] = [await oldAudit(101), await oldAudit(99)];
  const [oldOne, file] = [await oldFile(5), await oldFile(3)];
  await change({ retention: { historyDays: 20, auditDays: 100, fileDays: 4 } });
  const left = async () => {
    const { rows } = await sql<{ id: string }>`
      select id from runs where id in (${gone}, ${open}, ${young})
      union all select id from gaps where id in (${forgotten}, ${gap})
      union all select id from events where id in (${oldEvent1}, ${oldEvent2}, ${ofOpen}, ${notMetAgain})
      union all select run_id from journal where run_id = ${gone}
      union all select run_id from effects where run_id in (${gone}, ${open})
      union all select id from audit where id in (${oldRecord}, ${record})
      union all select id from files where id in (${oldOne}, ${file})`.execute(db);
    return rows.map(({ id }) => id).sort();
  };
  await expect.poll(left).toEqual([open, open, ofOpen, notMetAgain, gap, young, record, file].sort());
  const answer = await fetch(new URL('/v1/files?name=x', scene.bench.origin), {
    method: 'POST',
    headers: { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'text/plain' },
    body: 'x',
  });
  const { ref } = (await answer.json()) as { ref: string };
  const kept = await db
    .selectFrom('files')
    .select(['created_at', 'expires_at'])
    .where('id', '=', ref)
    .executeTakeFirstOrThrow();
  expect(kept.expires_at.getTime() - kept.created_at.getTime()).toBe(4 * 86_400_000);
});
