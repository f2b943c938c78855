import { setTimeout as sleep } from 'node:timers/promises';
import { newNoter, newTrigger } from '../harness/agents.ts';
import { freePort, startProcess } from '../harness/processes.ts';
import type { Proof } from '../harness/row.ts';
import { call, connectMail, stage } from '../harness/stage.ts';

type Stage = Awaited<ReturnType<typeof stage>>;

const reader = 'ada@sandbox.test';
const writer = 'ben@sandbox.test';
const allowedMs = 300_000;

const notes = (set: Stage): string[] =>
  [...(set.mail.world.mailboxOf(writer)?.messages.values() ?? [])]
    .filter(({ isDraft }) => isDraft)
    .map(({ subject }) => subject ?? '');

const tell = (base: string, path: string, body: object) =>
  fetch(`${base}/_control/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** A mail, a card and a label, of which nobody is told. */
const happenUnheard = async (set: Stage, name: string): Promise<string[]> => {
  const answer = await tell(set.mail.url, 'deliver', {
    to: reader,
    from: 'luis@contoso.example',
    subject: name,
    body: 'Hello',
  });
  const { immutableId } = (await answer.json()) as { immutableId: string };
  const card = set.board.newCard({ name, as: 'ben' });
  const action = set.board.actions(set.board.launch().id).findLast(({ type }) => type === 'createCard');
  // A label in the same moment would be one that the card came with.
  await sleep(20);
  const [label] = set.board.labels();
  if (label === undefined) throw new Error('the board has no label');
  set.board.changeCard(card, { labels: [label] }, 'ben');
  return [`mail ${immutableId}`, `card ${action?.id}`, `label ${card.id} ${label.id}`];
};

const removeSubscriptions = async (set: Stage): Promise<void> => {
  const headers = { authorization: `Bearer ${set.mail.tokenFor(reader)}` };
  const listed = await fetch(`${set.mail.url}/v1.0/subscriptions`, { headers });
  for (const { id } of ((await listed.json()) as { value: { id: string }[] }).value) {
    await fetch(`${set.mail.url}/v1.0/subscriptions/${id}`, { method: 'DELETE', headers });
  }
};

/** An hour in silence; then registrations that are gone or switched off, and positions that have expired. */
export const gaps: Proof = {
  name: 'gaps',
  about: 'what no notification told starts its agent once, within 5 min',
  run: async ({ scale, progress, database }) => {
    await using set = await stage({ database });
    const environment = {
      ...set.environment,
      PORT: String(await freePort()),
      // The full form waits as long as every day's intervals make it wait.
      ...(scale < 1 ? { INTERVALS: '{"lookMs":3000,"pollMs":2000,"checkMs":4000}' } : {}),
    };
    const switchboard = await startProcess('start', environment);
    try {
      const { origin } = switchboard;
      const { key, token, appSecret } = set.board.credentials('ada');
      const auth = { type: 'key_token', key, token, secret: appSecret };
      const { body } = await call(origin, 'POST', '/v1/accounts', { integration: 'board', auth });
      const boardAccount = String(body['id']);
      const mailAccount = await connectMail(origin, set.mail, reader);
      const noteAccount = await connectMail(origin, set.mail, writer);
      const boards = [set.board.launch().id];
      const triggers: [type: string, accountId: string, config: object, note: string][] = [
        ['mail.new_email', mailAccount, {}, 'mail {{event.data.message.id}}'],
        ['board.new_card', boardAccount, { boards }, 'card {{event.data.action.id}}'],
        ['board.label_added_to_card', boardAccount, { boards }, 'label {{event.data.card.id}} {{event.data.label.id}}'],
      ];
      for (const [type, accountId, config, note] of triggers) {
        const agentId = await newNoter(origin, noteAccount, note);
        await newTrigger(origin, { agentId, type, accountId, config });
      }
      const expected: string[] = [];
      let worstRecoveryMs = 0;
      const missing = () => {
        const found = new Set(notes(set));
        return expected.filter((name) => !found.has(name));
      };
      const waitForAll = async (what: string): Promise<void> => {
        const begun = performance.now();
        while (missing().length > 0 && performance.now() - begun < allowedMs) await sleep(250);
        worstRecoveryMs = Math.max(worstRecoveryMs, performance.now() - begun);
        progress(`${what}: ${((performance.now() - begun) / 1_000).toFixed(1)} s, ${missing().length} still missing`);
      };

      for (const { url } of [set.mail, set.board]) await tell(url, 'notifications', { drop: 1 });
      expected.push(...(await happenUnheard(set, 'As the silence begins')));
      for (const { url } of [set.mail, set.board]) await tell(url, 'clock', { advanceMs: 3_600_000 });
      expected.push(...(await happenUnheard(set, 'An hour later')));
      await waitForAll('an hour without notifications');

      for (const { url } of [set.mail, set.board]) await tell(url, 'notifications', { drop: 0 });
      for (const webhook of set.board.webhooks()) webhook.active = false;
      await removeSubscriptions(set);
      await tell(set.mail.url, 'delta', {});
      expected.push(...(await happenUnheard(set, 'With nobody registered')));
      await waitForAll('registrations removed, switched off, positions expired');
      const lost = missing();

      // What happens from now on is told again.
      await sleep(scale < 1 ? 6_000 : 20_000);
      const counts = Map.groupBy(notes(set), (name) => name);
      return {
        guarantee: 'gaps close by themselves within 5 min',
        tried: expected.length,
        events: expected.length,
        lost: lost.length,
        duplicated: expected.reduce((sum, name) => sum + Math.max(0, (counts.get(name)?.length ?? 0) - 1), 0),
        unknown: 0,
        worstRecoveryMs,
        objections: [
          ...lost.map((name) => `never started: ${name}`),
          ...(worstRecoveryMs < allowedMs ? [] : ['it took longer than 5 min']),
          // Registrations are verified every 10 min; only the short form waits for that.
          ...(scale < 1 && !set.board.webhooks().some(({ active }) => active)
            ? ['no board notification is switched on again']
            : []),
        ],
      };
    } finally {
      await switchboard.stop();
    }
  },
};
