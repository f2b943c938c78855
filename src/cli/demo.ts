import { z } from 'zod';
import type { Log } from '#log';

/** Where the demo is set up, and the sandbox that it uses. */
export type DemoStage = {
  /** Where Switchboard listens, and where it says it does. */
  origin: string;
  publicOrigin: string;
  signInLink: string;
  sandboxPort: number;
  /** The key of an automation: a demo that is there is brought back for it, and none is made. */
  automation?: string | undefined;
  signal: AbortSignal;
};

const people = ['ada@sandbox.test', 'ben@sandbox.test'];
const mostHops = 10;
const Made = z.object({ id: z.string() });

const answerMail = (accountId: string) => ({
  name: 'Answer mail',
  description: 'Answers the mail that started this, to its sender.',
  inputs: [
    { name: 'messageId', type: 'string', required: true, description: 'The mail that is answered.' },
    { name: 'body', type: 'string', required: true, description: 'Text of the answer.' },
  ],
  steps: [
    {
      key: 'reply',
      step: 'mail.reply',
      account: { id: accountId },
      input: { messageId: '{{inputs.messageId}}', body: '{{inputs.body}}' },
    },
  ],
});

const whoAnswers = {
  name: 'Responder',
  instructions: 'Answer each mail politely: thank for it and say that somebody will come back to it soon.',
};

const responder = (toolId: string) => ({
  ...whoAnswers,
  tools: [{ toolId, permission: 'approval' }],
  runner: { type: 'model', input: { messageId: '{{event.data.message.id}}' } },
});

const firstMail = {
  to: people[0],
  from: 'Luis Ortega <luis@contoso.example>',
  subject: 'Late delivery of order 5512',
  body: 'Hello,\n\norder 5512 was promised for Monday and has not arrived. When can we expect it?\n\nLuis Ortega',
};

/** The owner's hands: calls the API as the browser does, and walks where links lead. */
const ownerAt = async ({ origin, publicOrigin, signInLink, signal }: DemoStage) => {
  const signedIn = await fetch(new URL(new URL(signInLink).pathname, origin), {
    method: 'POST',
    redirect: 'manual',
    signal,
  });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';

  const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const answer = await fetch(new URL(path, origin), {
      method,
      headers: { cookie, 'x-switchboard-csrf': '1', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text.slice(0, 300)}`);
    return text === '' ? undefined : JSON.parse(text);
  };

  const walk = async (link: string): Promise<void> => {
    const jar = new Map<string, string[]>();
    let at = new URL(link);
    for (let hop = 0; hop < mostHops; hop++) {
      const url = at.origin === publicOrigin ? new URL(at.pathname + at.search, origin) : at;
      const cookies = jar.get(url.origin) ?? [];
      const answer = await fetch(url, { redirect: 'manual', headers: { cookie: cookies.join('; ') }, signal });
      await answer.body?.cancel();
      jar.set(url.origin, [...cookies, ...answer.headers.getSetCookie().map((line) => line.split(';')[0] ?? '')]);
      const next = answer.headers.get('location');
      if (next === null) return;
      at = new URL(next, at);
    }
    throw new Error('the way to connect an account did not end');
  };

  return { call, walk, leave: () => call('DELETE', '/v1/session') };
};

type Owner = Awaited<ReturnType<typeof ownerAt>>;

const Items = z.object({
  items: z.array(
    z.looseObject({
      id: z.string(),
      integration: z.string(),
      state: z.string(),
      identity: z.looseObject({ address: z.string().optional() }),
    }),
  ),
});
type Held = z.output<typeof Items>['items'][number];
const Tested = z.object({ works: z.boolean() });

const accountsOf = async ({ call }: Owner) => Items.parse(await call('GET', '/v1/accounts')).items;

const control = async (port: number, path: string, signal: AbortSignal, body?: unknown): Promise<unknown> => {
  const answer = await fetch(`http://127.0.0.1:${port}/_control/${path}`, {
    signal,
    ...(body === undefined
      ? {}
      : { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return answer.json();
};

const Credentials = z.object({ members: z.array(z.object({ key: z.string(), token: z.string() })).min(1) });

const connectBoard = async (owner: Owner, { sandboxPort, signal }: DemoStage): Promise<void> => {
  const { members } = Credentials.parse(await control(sandboxPort + 1, 'credentials', signal));
  const auth = { type: 'key_token', key: members[0]?.key, token: members[0]?.token };
  await owner.call('POST', '/v1/accounts', { integration: 'board', auth });
};

const Link = z.object({ url: z.string() });

/** A person of the sandbox signs in and grants what is asked for; with an account's id, once more. */
const connectMail = async (owner: Owner, stage: DemoStage, as: string, accountId?: string): Promise<void> => {
  const { sandboxPort, signal } = stage;
  try {
    await control(sandboxPort, 'consent', signal, { mode: 'auto', as });
    const asked = { integration: 'mail', ...(accountId === undefined ? {} : { accountId }) };
    const { url } = Link.parse(await owner.call('POST', '/v1/connect', asked));
    await owner.walk(url);
  } finally {
    await control(sandboxPort, 'consent', signal, { mode: 'ask' });
  }
};

/** A sandbox that was started anew knows no token from before: its people sign in again, and triggers catch up. */
const reconnect = async (owner: Owner, stage: DemoStage, accounts: readonly Held[]): Promise<void> => {
  const lost: Held[] = [];
  for (const account of accounts.filter(({ state }) => state === 'connected' || state === 'needs_reconnect')) {
    const { works } = Tested.parse(await owner.call('POST', `/v1/accounts/${account.id}/test`, {}));
    if (!works) lost.push(account);
  }
  if (lost.some(({ integration }) => integration === 'board')) await connectBoard(owner, stage);
  for (const { id, identity } of lost.filter(({ integration }) => integration === 'mail')) {
    const person = people.find((address) => address === identity.address);
    if (person !== undefined) await connectMail(owner, stage, person, id);
  }
};

/** Two mailboxes, a board, and an agent that answers mail after asking: something to look at from the first minute. */
const seed = async (owner: Owner, stage: DemoStage): Promise<boolean> => {
  const before = await accountsOf(owner);
  if (before.length > 0 || stage.automation !== undefined) {
    await reconnect(owner, stage, before);
    return false;
  }
  await connectBoard(owner, stage);
  for (const person of people) await connectMail(owner, stage, person);
  const mailboxes = (await accountsOf(owner)).filter(({ integration }) => integration === 'mail');
  // Newest first, and the first person was connected first.
  const accountId = mailboxes.at(-1)?.id;
  if (accountId === undefined || mailboxes.length < people.length) throw new Error('the mailboxes were not connected');
  const tool = Made.parse(await owner.call('POST', '/v1/tools', answerMail(accountId)));
  const agent = Made.parse(await owner.call('POST', '/v1/agents', responder(tool.id)));
  await owner.call('POST', '/v1/triggers', { agentId: agent.id, type: 'mail.new_email', accountId, config: {} });
  await control(stage.sandboxPort, 'deliver', stage.signal, firstMail);
  return true;
};

const Agents = z.object({ items: z.array(z.looseObject({ instructions: z.string().optional() })) });

/** Looked up by the key itself, so that a workspace without a demo sees nobody sign in. */
const isThere = async ({ origin, signal }: DemoStage, key: string): Promise<boolean> => {
  const path = `/v1/agents?query=${whoAnswers.name}&limit=100`;
  const answer = await fetch(new URL(path, origin), { headers: { authorization: `Bearer ${key}` }, signal });
  const found = Agents.safeParse(await answer.json());
  return found.data?.items.some(({ instructions }) => instructions === whoAnswers.instructions) ?? false;
};

/** Sets the demo up in a workspace that has no account yet, and brings it back after a restart. Nothing waits for it, and its failure is only told. */
export const seedDemo = async (stage: DemoStage, log: Log): Promise<void> => {
  const { automation } = stage;
  try {
    if (automation !== undefined && !(await isThere(stage, automation))) return;
    const owner = await ownerAt(stage);
    const seeded = await seed(owner, stage);
    await owner.leave();
    if (seeded) log.info('the demo is ready: two mailboxes, a board and a responder');
  } catch (error) {
    if (!stage.signal.aborted) log.warn({ err: error }, 'the demo could not be set up');
  }
};
