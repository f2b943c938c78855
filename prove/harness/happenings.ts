import { newNoter, newTrigger } from './agents.ts';
import { call, connectMail, type Stage } from './stage.ts';

const reader = 'ada@sandbox.test';
// A service lets only few calls at once into one mailbox.
const writers = ['ben@sandbox.test', 'cy@sandbox.test'] as const;

/** What is there for everything that happens: an agent writes a draft for each mail to the reader and each comment. */
export const setOut = async (origin: string, set: Stage): Promise<{ mailAccount: string; boardAccount: string }> => {
  const { key, token, appSecret } = set.board.credentials('ada');
  const auth = { type: 'key_token', key, token, secret: appSecret };
  const { body } = await call(origin, 'POST', '/v1/accounts', { integration: 'board', auth });
  const boardAccount = String(body['id']);
  const mailAccount = await connectMail(origin, set.mail, reader);
  const first = await connectMail(origin, set.mail, writers[0]);
  const second = await connectMail(origin, set.mail, writers[1]);
  const noteMails = await newNoter(origin, first, 'mail {{event.data.message.id}}');
  await newTrigger(origin, { agentId: noteMails, type: 'mail.new_email', accountId: mailAccount, config: {} });
  const noteComments = await newNoter(origin, second, 'comment {{event.data.action.id}}');
  const config = { boards: [set.board.launch().id] };
  await newTrigger(origin, { agentId: noteComments, type: 'board.new_comment', accountId: boardAccount, config });
  return { mailAccount, boardAccount };
};

/** The subjects of all drafts: each start of an agent left one. */
export const notes = (set: Stage): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const address of writers) {
    for (const { isDraft, subject } of set.mail.world.mailboxOf(address)?.messages.values() ?? []) {
      if (isDraft && /^(?:mail|comment) /.test(subject ?? ''))
        counts.set(subject ?? '', (counts.get(subject ?? '') ?? 0) + 1);
    }
  }
  return counts;
};

/** A mail to the reader; answers the note that its agent must leave. */
export const mailComes = async (set: Stage, subject: string, more: object = {}): Promise<string> => {
  // Without the wire: only what the product sees may go wrong.
  const answer = await set.mail.app.request('/_control/deliver', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ to: reader, from: 'luis@contoso.example', subject, body: 'Hello', ...more }),
  });
  return `mail ${((await answer.json()) as { immutableId: string }).immutableId}`;
};

/** Comments on one card. */
export const commenter = (set: Stage): ((text: string) => string) => {
  const card = set.board.newCard({ as: 'ben' });
  return (text) => `comment ${set.board.comment(card, text, 'ben').id}`;
};

/** How what was expected compares with what was noted. */
export const compare = (expected: readonly string[], found: ReadonlyMap<string, number>) => ({
  missing: expected.filter((name) => !found.has(name)),
  duplicated: expected.flatMap((name) => Array<string>(Math.max(0, (found.get(name) ?? 0) - 1)).fill(name)),
});

/** What became of an event that started nobody, in our own words. */
export const whyMissing = async (origin: string, name: string): Promise<string> => {
  const id = encodeURIComponent(name.split(' ')[1] ?? '');
  const { body } = await call(origin, 'GET', `/v1/events?upstreamId=${id}`);
  const [event] = (body as { items: { runId?: string }[] }).items;
  const run = event?.runId === undefined ? undefined : await call(origin, 'GET', `/v1/runs/${event.runId}`);
  const { status, error, attempts } = run?.body ?? {};
  return `${name} never started: ${JSON.stringify({ ...event, run: { status, error, attempts } })}`;
};
