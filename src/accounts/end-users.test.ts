import { afterAll, beforeAll, expect, test } from 'vitest';
import { bootstrapKey, type Workbench, workbench } from '#test';

let bench: Workbench;
/** One mailbox of the workspace itself, one of the end user "one", two of "two". */
let own: string;
let one: string;
let two: string[];

const connect = async (address: string, endUserId?: string): Promise<string> => {
  bench.mail.world.tokens.consentMode = { mode: 'auto', as: address };
  const { body } = await bench.owned('POST', '/v1/connect', { integration: 'mail', endUserId });
  return (await bench.visitor().visit(body.url)).accountId ?? '';
};
beforeAll(async () => {
  bench = await workbench({ mail: true });
  own = await connect('ada@sandbox.test');
  one = await connect('ben@sandbox.test', 'one');
  two = [await connect('ada@sandbox.test', 'two'), await connect('cy@sandbox.test', 'two')];
});
afterAll(() => bench[Symbol.asyncDispose]());

const run = (more: object) => bench.owned('POST', '/v1/steps/mail.list_labels/run', { input: {}, ...more });
const options = (accountId: string, endUserId: string) =>
  bench.owned('GET', `/v1/options/labels?accountId=${accountId}&endUserId=${endUserId}`);

test('a run for an end user finds the one account of that user', async () => {
  expect((await run({ endUserId: 'one' })).body.account.id).toBe(one);
  expect((await run({ endUserId: 'one', accountId: one })).status).toBe(200);
  expect((await run({})).body.account.id).toBe(own);
});

test('several accounts of an end user are offered to that user alone', async () => {
  const { status, body } = await run({ endUserId: 'two' });
  expect([status, body.error.code]).toEqual([400, 'invalid_input']);
  const ids = body.error.details.candidates.map(({ id }: { id: string }) => id);
  expect(ids.toSorted()).toEqual(two.toSorted());
});

test("another's account looks exactly like one that does not exist, in a run and in a drop-down", async () => {
  const unknown = await run({ endUserId: 'one', accountId: 'acc_none' });
  const noOptions = await options('acc_none', 'one');
  for (const accountId of [...two, own]) {
    const { status, body } = await run({ endUserId: 'one', accountId });
    expect([status, body.error.code, body.error.message]).toEqual([404, 'not_found', unknown.body.error.message]);
    const picked = await options(accountId, 'one');
    expect([picked.status, picked.body.error.message]).toEqual([404, noOptions.body.error.message]);
  }
  expect((await options(one, 'one')).status).toBe(200);
});

test('an account is named by its address or name, too, but by those who may use it alone, and never where several are called so', async () => {
  const chosen = async (more: object) => {
    const { status, body } = await run(more);
    return body.account?.id ?? [status, body.error.message];
  };
  expect(await chosen({ accountId: 'Ada@sandbox.test' })).toBe(own);
  expect(await chosen({ accountId: 'Ada Marsh', endUserId: 'two' })).toBe(two[0]);
  const unknown = await chosen({ accountId: 'acc_none' });
  expect(await chosen({ accountId: 'ben@sandbox.test' })).toEqual(unknown);
  expect(await chosen({ accountId: 'ada@sandbox.test', endUserId: 'one' })).toEqual(unknown);
  expect((await options('ada@sandbox.test', 'two')).status).toBe(200);
  expect((await options('ada@sandbox.test', 'one')).status).toBe(404);

  await bench.owned('PATCH', `/v1/accounts/${two[1]}`, { name: 'ada@sandbox.test' });
  const { status, body } = await run({ endUserId: 'two', accountId: 'ada@sandbox.test' });
  expect([status, body.error.message]).toEqual([
    400,
    'Several accounts are called so; name one of the candidates by its id.',
  ]);
  expect(body.error.details.candidates.map(({ id }: { id: string }) => id).toSorted()).toEqual(two.toSorted());

  const inputs = [{ name: 'box', type: 'account', integration: 'mail', permissionType: 'standard' }];
  const steps = [{ key: 'it', step: 'mail.list_labels', account: { input: 'box' }, input: {} }];
  const { id: toolId } = (await bench.owned('POST', '/v1/tools', { name: 'Labels', inputs, steps })).body;
  const given = { endUserId: 'two', input: { box: 'ada@sandbox.test' } };
  const refused = await bench.owned('POST', `/v1/tools/${toolId}/run`, given);
  expect([refused.status, refused.body.error.details.fields]).toEqual([
    400,
    [{ field: 'input.box', message: body.error.message }],
  ]);
});

/** What came to the mailbox of "one" with a letter. */
const payslip = async (): Promise<string> => {
  const attachments = [{ name: 'payslip.txt', contentType: 'text/plain', contentBytes: 'cGF5' }];
  const letter = { to: 'ben@sandbox.test', from: 'zoe@sandbox.test', subject: 'Payslip', attachments };
  const delivered = await fetch(`${bench.mail.url}/_control/deliver`, { method: 'POST', body: JSON.stringify(letter) });
  const { id: messageId } = (await delivered.json()) as { id: string };
  const get = (step: string, input: object) =>
    bench.owned('POST', `/v1/steps/mail.${step}/run`, { endUserId: 'one', input: { messageId, ...input } });
  const attachmentId = (await get('get_email', {})).body.output.attachments[0].id;
  return (await get('get_attachment', { attachmentId })).body.output.ref;
};

test('a file that came from the mail of an end user is none for others, also where they know its ref', async () => {
  const ref = await payslip();
  const draft = async (attached: string, more: object) => {
    const input = { to: ['cy@sandbox.test'], subject: 'Mine now', body: '', attachments: [{ ref: attached }] };
    const { status, body } = await bench.owned('POST', '/v1/steps/mail.create_draft/run', { input, ...more });
    return [status, body.error?.message];
  };
  const nobodys = await draft('file_none', { endUserId: 'one' });
  expect(nobodys[0]).toBe(404);
  expect(await draft(ref, { endUserId: 'one' })).toEqual([200, undefined]);
  const [theirs = ''] = two;
  for (const more of [{ endUserId: 'two' }, {}, { endUserId: 'two', dryRun: true }]) {
    expect(await draft(ref, { accountId: theirs, ...more })).toEqual(nobodys);
  }
});

test('what waits for one end user cannot be edited to hold a file of another, also where it leaves from our own mailbox', async () => {
  const ref = await payslip();
  const input = { to: ['zoe@sandbox.test'], subject: 'Yours', body: 'Hello' };
  const steps = [{ key: 'send', step: 'mail.send_email', account: { id: own }, input }];
  const tool = (await bench.owned('POST', '/v1/tools', { name: 'Write to Zoe', steps })).body.id;
  const edit = async (endUserId: string) => {
    const { body } = await bench.owned('POST', `/v1/tools/${tool}/run`, { input: {}, endUserId });
    const changes = { attachments: [{ ref }] };
    return (await bench.owned('POST', `/v1/approvals/${body.approval.id}/edit`, { changes })).status;
  };
  expect([await edit('one'), await edit('two')]).toEqual([200, 404]);
});

test('a name that differs by blanks alone is refused, not taken for another', async () => {
  for (const endUserId of ['one ', ' one', 'one\u00a0', '\ufeffone', 'one\n']) {
    const answers = [
      await run({ endUserId }),
      await run({ endUserId, accountId: one }),
      await options(one, encodeURIComponent(endUserId)),
      await bench.owned('GET', `/v1/accounts?endUserId=${encodeURIComponent(endUserId)}`),
      await bench.owned('POST', '/v1/connect', { integration: 'mail', endUserId }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
    expect(answers[0]?.body.error.message).toContain('endUserId: must not begin or end with a blank');
  }
});

test('an end user without accounts is told so, and nothing about others', async () => {
  const { body } = await run({ endUserId: 'three' });
  expect(body.error.message).toMatch(/No mail account is connected for this end user/);
  expect(JSON.stringify(body)).not.toMatch(/acc_|sandbox\.test/);
});

test('the list of accounts can be that of an end user', async () => {
  const idsFor = async (query: string) => {
    const { body } = await bench.owned('GET', `/v1/accounts?${query}`);
    return body.items.map(({ id }: { id: string }) => id).toSorted();
  };
  expect(await idsFor('endUserId=one')).toEqual([one]);
  expect(await idsFor('endUserId=two&integration=mail')).toEqual(two.toSorted());
  expect(await idsFor('endUserId=three')).toEqual([]);
  expect(await idsFor('')).toEqual([own, one, ...two].toSorted());
});

const callTool = async (name: string, given: object, path = '/mcp') => {
  const { body } = await bench.call('POST', path, {
    key: bootstrapKey,
    headers: { accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
  });
  return JSON.parse(/^data: (.+)$/m.exec(body)?.[1] ?? '{}').result.structuredContent;
};

test('over MCP too: the run carries for whom it was, and an error names their accounts alone', async () => {
  const call = (given: object) => callTool('mail_list_labels', given);
  const { account, runId } = await call({ endUserId: 'one' });
  expect(account.id).toBe(one);
  expect((await bench.owned('GET', `/v1/runs/${runId}`)).body.endUserId).toBe('one');
  const { error } = await call({ endUserId: 'two' });
  expect(error.candidates.map(({ id }: { id: string }) => id).toSorted()).toEqual(two.toSorted());
  const auth = await bench.keyAndToken();
  const { body: secret } = await bench.owned('POST', '/v1/secrets', { integration: 'board', auth });
  expect(await callTool('board_get_boards', { secretId: secret.id })).toMatchObject({ status: 'succeeded' });
});

test('a tool runs for an end user: with their accounts and what its builder chose, never with those of others', async () => {
  const newTool = async (name: string, account: object) => {
    const inputs = [{ name: 'account', type: 'account', integration: 'mail' }];
    const steps = [{ key: 'labels', step: 'mail.list_labels', account, input: {} }];
    const { body } = await bench.owned('POST', '/v1/tools', { name, inputs, steps });
    return (more: object) => bench.owned('POST', `/v1/tools/${body.id}/run`, more);
  };
  const given = await newTool('Labels of somebody', { input: 'account' });
  const done = await given({ input: { account: one }, endUserId: 'one' });
  const whose = async ({ body }: { body: { runId: string } }) =>
    (await bench.owned('GET', `/v1/runs/${body.runId}`)).body.endUserId;
  expect([done.status, await whose(done)]).toEqual([200, 'one']);
  // Where nobody says for whom, it is theirs whose account it is, as with a step.
  expect(await whose(await given({ input: { account: one } }))).toBe('one');
  expect(await whose(await given({ input: { account: own } }))).toBeUndefined();

  const unknown = await given({ input: { account: 'acc_none' }, endUserId: 'one' });
  for (const account of [...two, own]) {
    for (const dryRun of [false, true]) {
      const { status, body } = await given({ input: { account }, endUserId: 'one', dryRun });
      expect([status, body.error.message]).toEqual([404, unknown.body.error.message]);
    }
    const { error } = await callTool('labels_of_somebody', { account, endUserId: 'one' });
    const theirs = [{ argument: 'account', id: one, name: 'ben@sandbox.test' }];
    expect([error.code, error.candidates]).toEqual(['not_found', theirs]);
    expect(JSON.stringify(error)).not.toMatch(/ada@|cy@/);
  }
  const unnamed = await callTool('labels_of_somebody', { endUserId: 'two' });
  expect(unnamed.error.candidates.map(({ id }: { id: string }) => id).toSorted()).toEqual(two.toSorted());
  expect(await callTool('labels_of_somebody', { endUserId: 'three' })).not.toHaveProperty('error.candidates');
  expect(await callTool('labels_of_somebody', { account: one, endUserId: 'one' })).toMatchObject({
    status: 'succeeded',
  });

  const chosen = { [own]: 200, [one]: 200, [two[0] ?? '']: 404 };
  for (const [id, status] of Object.entries(chosen)) {
    const fixed = await newTool('Labels of one', { id });
    expect([id, (await fixed({ input: { account: one }, endUserId: 'one' })).status]).toEqual([id, status]);
    expect(await whose(await fixed({ input: { account: one } }))).toBe(status === 200 ? 'one' : undefined);
  }
});

test('an agent that is fixed to the account of an end user runs for them, and offers nobody another', async () => {
  const inputs = [{ name: 'account', type: 'account', integration: 'mail' }];
  const steps = [{ key: 'labels', step: 'mail.list_labels', account: { input: 'account' }, input: {} }];
  const { body: tool } = await bench.owned('POST', '/v1/tools', { name: 'Their labels', inputs, steps });
  const newAgent = async (input: object) => {
    const runner = { type: 'tool', toolId: tool.id, input };
    const definition = { name: 'Theirs', tools: [{ toolId: tool.id }], runner };
    return (await bench.owned('POST', '/v1/agents', definition)).body.id;
  };
  const whose = async (agent: string) => {
    const start = () =>
      bench.call('POST', `/v1/agents/${agent}/runs`, {
        key: bootstrapKey,
        body: { input: {} },
        headers: { 'idempotency-key': agent },
      });
    const [{ body: first }, { body: again }] = [await start(), await start()];
    expect(again.runId).toBe(first.runId);
    return (await bench.owned('GET', `/v1/runs/${first.runId}`)).body.endUserId;
  };
  const theirs = await newAgent({ account: one });
  expect([await whose(theirs), await whose(await newAgent({ account: own }))]).toEqual(['one', undefined]);

  const { error } = await callTool('their_labels', { endUserId: 'two' }, `/mcp/agents/${theirs}`);
  expect([error.fields[0].field, error.candidates]).toEqual(['endUserId', undefined]);
});
