import { expect, test } from 'vitest';
import { eventScene } from './event-scene.ts';
import { runStatement } from './run-statement.ts';

const databaseAt = (connectionString: string) => {
  const elsewhere = new URL(connectionString);
  const name = elsewhere.pathname.slice(1);
  elsewhere.pathname = 'postgres';
  const run = (statement: string) => runStatement(elsewhere.href, statement);
  return {
    /** A copy that lags behind: what is written from now on is not in it. */
    backUp: async () => {
      await run(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
      await run(`CREATE DATABASE ${name}_backup TEMPLATE ${name}`);
      await run(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    },
    restore: async () => {
      await run(`DROP DATABASE ${name} WITH (FORCE)`);
      await run(`ALTER DATABASE ${name}_backup RENAME TO ${name}`);
    },
  };
};

test('after a backup was brought back, or a copy that lags took over, what happened since is caught up, and nothing is done a second time', {
  timeout: 90_000,
}, async () => {
  await using scene = await eventScene({ mail: true, intervals: { lookMs: 500 } });
  const { bench, board } = scene;
  const mailAccount = await bench.connectMail();
  const boardAccount = await scene.connectBoard();
  const list = board.newList();
  const { id: toolId } = await scene.made('POST', '/v1/tools', {
    name: 'Answer',
    description: 'Answers a mail and makes a card of it.',
    inputs: [
      { name: 'messageId', type: 'string', required: true, description: 'The mail.' },
      { name: 'subject', type: 'string', required: true, description: 'Its subject.' },
    ],
    steps: [
      {
        key: 'answer',
        step: 'mail.reply',
        account: { id: mailAccount },
        input: { messageId: '{{inputs.messageId}}', body: 'Thank you.' },
        permission: 'autopilot',
      },
      {
        key: 'card',
        step: 'board.create_card',
        account: { id: boardAccount },
        input: { idList: list.id, name: '{{inputs.subject}}' },
      },
    ],
  });
  const agentId = await scene.newAgent('Responder', toolId, {
    messageId: '{{event.data.message.id}}',
    subject: '{{event.data.message.subject}}',
  });
  await scene.newTrigger(agentId, 'mail.new_email', mailAccount);

  const deliver = (subject: string) =>
    fetch(`${bench.mail.url}/_control/deliver`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ to: 'ada@sandbox.test', from: 'luis@contoso.example', subject, body: 'Hello' }),
    });
  const cards = () => board.cardsIn(list.id).map(({ name }) => name);
  const answered = async (count: number) => {
    const runs = async () =>
      (await scene.made('GET', '/v1/runs?limit=100')).items.filter((run: { agentId?: string }) => run.agentId);
    await scene.until(
      runs,
      (found) => found.filter(({ status }: { status: string }) => status === 'succeeded').length >= count,
    );
    return runs();
  };
  const database = databaseAt(bench.connectionString);

  await deliver('Before the backup');
  await answered(1);
  await database.backUp();
  await deliver('After the backup');
  await answered(2);
  await bench.stopProcesses();
  await database.restore();
  await bench.startProcess();
  await deliver('After it was restored');
  await answered(3);

  // A copy that lags behind takes the place of a database that fails, while we run.
  await database.backUp();
  await deliver('Before the fail-over');
  await answered(4);
  await database.restore();
  await deliver('After the fail-over');
  const runs = await answered(5);

  expect(runs.map(({ status }: { status: string }) => status)).toEqual(Array.from({ length: 5 }, () => 'succeeded'));
  const each = [
    'After it was restored',
    'After the backup',
    'After the fail-over',
    'Before the backup',
    'Before the fail-over',
  ];
  expect(bench.mail.world.outbox.map(({ subject }) => subject).toSorted()).toEqual(each.map((name) => `RE: ${name}`));
  expect(cards().toSorted()).toEqual(each);
});
