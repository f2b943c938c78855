import { scratchFolder, startEmbeddedPostgres } from '#store';
import { type BoardSandbox, type MailSandbox, type Sandbox, startSandbox } from '../../sandbox/index.ts';

export const ownerKey = 'owner-key-of-the-proof-harness';

/** The sandbox on three ports in a row, as the product expects it. */
const startUpstream = async (): Promise<Sandbox> => {
  for (let attempt = 1; ; attempt++) {
    // Below those that connections are given.
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    try {
      return await startSandbox({ port });
    } catch (error) {
      if (attempt === 20) throw error;
    }
  }
};

/** Somewhere to keep data, and the upstream in our own hands: outside the product, so that counts are the truth. */
export const stage = async ({ database }: { database?: string | undefined } = {}) => {
  const folder = await scratchFolder();
  const { mail, board, close } = await startUpstream();
  const environment = {
    DATA_DIR: folder.path,
    BOOTSTRAP_API_KEY: ownerKey,
    SANDBOX: 'on',
    // A sandbox that answers there is used, not started.
    SANDBOX_PORT: String(mail.port),
    LOG_LEVEL: 'info',
    ...(database === undefined ? {} : { DATABASE_URL: database, DATABASE_POOL: '6' }),
  };
  return {
    dataDir: folder.path,
    mail,
    board,
    environment,
    /** One that several processes share. */
    sharedDatabase: async (): Promise<{ connectionString: string; stop(): Promise<void> }> =>
      database === undefined
        ? startEmbeddedPostgres({ dataDir: folder.path, log: () => {} })
        : { connectionString: database, stop: () => Promise.resolve() },
    [Symbol.asyncDispose]: async () => {
      await close();
      await folder[Symbol.asyncDispose]();
    },
  };
};

export type Stage = Awaited<ReturnType<typeof stage>>;

export type Answer = { status: number; body: Record<string, unknown> };

const longestCallMs = 120_000;

/** A call with the owner's key. Throws when no answer came. */
export const call = async (
  origin: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const answer = await fetch(`${origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${ownerKey}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    // One that a killed process was to answer may never be.
    signal: AbortSignal.timeout(longestCallMs),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
};

/** Connects the sandbox's first member and answers the account's id. */
export const connectBoard = async (origin: string, board: BoardSandbox): Promise<string> => {
  const given = (await (await fetch(`${board.url}/_control/credentials`)).json()) as {
    members: { key: string; token: string }[];
  };
  const [first] = given.members;
  const auth = { type: 'key_token', key: first?.key, token: first?.token };
  const { status, body } = await call(origin, 'POST', '/v1/accounts', { integration: 'board', auth });
  if (status !== 201) throw new Error(`connecting failed: ${JSON.stringify(body)}`);
  return String(body['id']);
};

/** Signs a person in to mail the way a browser does, and answers the account's id. */
export const connectMail = async (
  origin: string,
  mail: MailSandbox,
  address: string,
  headers: Record<string, string> = {},
): Promise<string> => {
  await fetch(`${mail.url}/_control/consent`, { method: 'POST', body: JSON.stringify({ mode: 'auto', as: address }) });
  const { body } = await call(origin, 'POST', '/v1/connect', { integration: 'mail' }, headers);
  const { url } = body;
  if (typeof url !== 'string') throw new Error(`connecting failed: ${JSON.stringify(body)}`);
  const opened = await fetch(url, { redirect: 'manual' });
  const cookie = opened.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const consented = await fetch(opened.headers.get('location') ?? '', { redirect: 'manual' });
  await fetch(consented.headers.get('location') ?? '', { redirect: 'manual', headers: { cookie } });
  const { body: accounts } = await call(origin, 'GET', '/v1/accounts?integration=mail', undefined, headers);
  const [account] = (accounts as { items: { id: string }[] }).items;
  if (account === undefined) throw new Error('connecting the mailbox failed');
  return account.id;
};

export const randomBetween = (low: number, high: number): number => low + Math.random() * (high - low);
