import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, readConfig } from '#config';
import { createLog, type Log, silentLog } from '#log';
import { createSealer, keyRingInFolder, newId, openStore } from '#store';
import { type BoardSandbox, startBoard } from '../sandbox/board/server.ts';
import { type MailSandbox, startMail } from '../sandbox/mail/server.ts';
import { type ModelSandbox, startModel } from '../sandbox/model/server.ts';
import { type Mode, type Switchboard, startSwitchboard } from '../src/main.ts';
import { misfitsOf } from './as-described.ts';
import { freshDatabase } from './database.ts';
import { createVisitor } from './visitor.ts';

/** What came back from a call. The body is parsed where it is JSON. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests reach into answers of every shape
export type Answer = { status: number; body: any; headers: Headers };

export type CallOptions = {
  body?: unknown;
  key?: string | undefined;
  cookie?: string;
  headers?: Record<string, string>;
};

/** A workspace of its own, with an owner's key and, for boards, a connected account. */
export type Tenant = { workspaceId: string; key: string; cookie: string; accountId: string };

const nowhere = 'http://127.0.0.1:1';

export const bootstrapKey = 'bootstrap-key-of-the-workbench';

/** Whatever step a test runs: what came of it is told in one line that a person or a model can read. */
const checkSummary = (path: string, { status, summary }: Answer['body']): void => {
  if (!/^\/v1\/steps\/[^/]+\/run$/.test(path) || status !== 'succeeded') return;
  const isSentence = /^[A-Z“].*[^\s:;]\.$/.test(summary) && !/undefined|null|NaN|\[object|: done|: ;/.test(summary);
  if (!isSentence) throw new Error(`${path} tells of itself: ${summary}`);
};

/** Calls a running Switchboard over HTTP. */
export const callerFor =
  (origin: string) =>
  async (method: string, path: string, options: CallOptions = {}): Promise<Answer> => {
    const { body, key, cookie, headers } = options;
    const answer = await fetch(new URL(path, origin), {
      method,
      redirect: 'manual',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(cookie === undefined ? {} : { cookie, 'x-switchboard-csrf': '1' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    // A stream that is followed goes on by itself; that it began is all that can be answered.
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    if (method === 'GET' && isStream) await answer.body?.cancel();
    const text = answer.bodyUsed ? '' : await answer.text();
    const json = answer.headers.get('content-type')?.includes('json') ?? false;
    const told = {
      status: answer.status,
      body: json && text !== '' ? JSON.parse(text) : text,
      headers: answer.headers,
    };
    checkSummary(path, told.body);
    const type = answer.headers.get('content-type')?.split(';')[0] ?? '';
    const misfits = isStream ? [] : misfitsOf(method, path, { ...told, type });
    if (misfits.length > 0) throw new Error(`${method} ${path} is not as described: ${misfits.join('; ')}`);
    return told;
  };

type Process = { origin: string; switchboard: Switchboard; stop(): Promise<void> };

export const reachableAddress = async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return { port, publicUrl: new URL(`http://127.0.0.1:${port}`) };
};

/** The real thing on a database of its own, against the sandbox, over HTTP on loopback. */
export const workbench = async (
  options: {
    config?: Partial<Config>;
    log?: Log;
    mail?: boolean;
    /** The scripted model. */
    model?: boolean;
    /** Listens where its own links lead, for a real browser. */
    reachable?: boolean;
  } = {},
) => {
  const database = await freshDatabase();
  const mail = options.mail ? await startMail({ port: 0 }) : undefined;
  const model = options.model ? await startModel({ port: 0 }) : undefined;
  const board = await startBoard({ port: 0 });
  const dataDir = await mkdtemp(join(tmpdir(), 'switchboard-bench-'));
  const config: Config = {
    ...readConfig({
      DATA_DIR: dataDir,
      BOOTSTRAP_API_KEY: bootstrapKey,
      DATABASE_POOL: '7',
      // What is in doubt is settled within seconds here.
      INTERVALS: '{"writeDeadlineMs":3000}',
      MAIL_API_URL: `${mail?.url ?? nowhere}/v1.0`,
      MAIL_AUTHORITY: mail?.url ?? nowhere,
      MODEL_API_URL: `${model?.url ?? nowhere}/v1`,
      MODEL_NAME: 'sandbox-script',
      BOARD_API_URL: board.url,
      BOARD_AUTH_URL: board.url,
      BOARD_AUTHORIZE_URL: `${board.url}/oauth/authorize`,
      BOARD_TOKEN_URL: `${board.url}/oauth/token`,
    }),
    ...(options.reachable ? await reachableAddress() : { port: 0 }),
    ...options.config,
  };
  const processes: Process[] = [];

  /** One more process on the same database. */
  const startProcess = async (mode: Mode = 'all', change: Partial<Config> = {}): Promise<Process> => {
    // Only the first process listens where the configuration says.
    const wanted = { ...config, ...(processes.length === 0 ? {} : { port: 0 }), ...change };
    const switchboard = await startSwitchboard({
      // Nobody sends anything to a process that a test ends.
      config: { ...wanted, intervals: { ...wanted.intervals, lullMs: 0 } },
      connectionString: database.connectionString,
      mode,
      log: options.log ?? silentLog,
    });
    const started = {
      origin: `http://127.0.0.1:${switchboard.port}`,
      switchboard,
      stop: async () => {
        processes.splice(processes.indexOf(started), 1);
        await switchboard.stop();
      },
    };
    processes.push(started);
    return started;
  };

  const { origin, switchboard } = await startProcess();
  const call = callerFor(origin);
  const owned = (method: string, path: string, body?: unknown) => call(method, path, { key: bootstrapKey, body });

  const signIn = async (link: string): Promise<string> => {
    const answer = await call('POST', new URL(link).pathname);
    return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  };

  /** What the sandbox's first member would type in. */
  const keyAndToken = async () => {
    const { members } = (await (await fetch(`${board.url}/_control/credentials`)).json()) as {
      members: { key: string; token: string }[];
    };
    const [first] = members;
    return { type: 'key_token', key: first?.key, token: first?.token };
  };

  /** Connects the sandbox's first member by key and token. */
  const connectBoard = async (key: string = bootstrapKey): Promise<string> => {
    const auth = await keyAndToken();
    const { body } = await call('POST', '/v1/accounts', { key, body: { integration: 'board', auth } });
    return body.id;
  };

  const mailbox = (): MailSandbox => {
    if (mail === undefined) throw new Error('ask for the mail sandbox: workbench({ mail: true })');
    return mail;
  };

  const visitor = (at = origin) => createVisitor({ origin: at, publicOrigin: config.publicUrl.origin });

  /** A person signs in at the mail service and grants what is asked for. */
  const signInToMail = async (address: string): Promise<string> => {
    const { tokens } = mailbox().world;
    const before = tokens.consentMode;
    tokens.consentMode = { mode: 'auto', as: address };
    const { body } = await owned('POST', '/v1/connect', { integration: 'mail' });
    const { accountId, text } = await visitor().visit(body.url);
    tokens.consentMode = before;
    if (accountId === undefined) throw new Error(`mail was not connected: ${text}`);
    return accountId;
  };

  /** Connects a person's mailbox; with scopes of the test's own choosing as if exactly those had been granted. */
  const connectMail = async (address = 'ada@sandbox.test', scopes?: readonly string[]): Promise<string> => {
    if (scopes === undefined) return signInToMail(address);
    const store = openStore({ connectionString: database.connectionString, max: 1, log: silentLog });
    const sealer = createSealer(keyRingInFolder(dataDir));
    const { body: workspace } = await owned('GET', '/v1/workspace');
    const id = newId('acc', new Date());
    const grant = { accessToken: mailbox().tokenFor(address, scopes.join(' ')), expiresAt: Date.now() + 3_000_000 };
    const place = { workspace: workspace.id, table: 'accounts', row: id, column: 'credential' };
    const kind = address.startsWith('cy@') ? ('personal' as const) : ('work' as const);
    await store
      .of(workspace.id)
      .insertInto('accounts')
      .values({
        id,
        workspace_id: workspace.id,
        integration: 'mail',
        name: address,
        identity: JSON.stringify({ id: `test ${address}`, name: address, address, kind }),
        identity_id: `test ${address}`,
        state: 'connected',
        reason: null,
        auth_method: 'oauth2',
        permission_types: ['standard'],
        scopes: [...scopes],
        end_user_id: null,
        credential: sealer.seal(JSON.stringify(grant), place),
        created_at: new Date(),
        disconnected_at: null,
      })
      .execute();
    await store.close();
    return id;
  };

  const accounts: Partial<Record<string, Promise<string>>> = {};

  return {
    origin,
    board,
    get mail(): MailSandbox {
      return mailbox();
    },
    get model(): ModelSandbox {
      if (model === undefined) throw new Error('ask for the scripted model: workbench({ model: true })');
      return model;
    },
    config,
    connectionString: database.connectionString,
    startProcess,
    stopProcesses: async () => {
      for (const each of [...processes]) await each.stop();
    },
    call,
    /** A call with the bootstrap key. */
    owned,
    keyAndToken,
    connectBoard,
    connectMail,
    visitor,
    signIn,
    signInLink: () => switchboard.signInLink(),
    signInAsOwner: async () => signIn(await switchboard.signInLink()),

    /** Runs a step with the first workspace's own account and answers its output. */
    run: async (stepId: string, input: unknown, permission?: 'autopilot'): Promise<Answer['body']> => {
      const [integration = ''] = stepId.split('.');
      accounts[integration] ??= integration === 'mail' ? connectMail() : connectBoard();
      const accountId = await accounts[integration];
      const given = { accountId, input, ...(permission === undefined ? {} : { permission }) };
      const { status, body } = await owned('POST', `/v1/steps/${stepId}/run`, given);
      if (status !== 200) throw new Error(JSON.stringify(body));
      return body.output;
    },

    /** Another workspace with an owner, a key that may do everything, and a connected board. */
    newTenant: async (name: string): Promise<Tenant> => {
      const cookie = await signIn(await switchboard.signInLink());
      const made = await call('POST', '/v1/workspaces', { cookie, body: { name } });
      await call('PATCH', '/v1/session', { cookie, body: { workspaceId: made.body.id } });
      const scopes = ['admin', 'approvals:decide', 'sends:autopilot'];
      const { body } = await call('POST', '/v1/api-keys', { cookie, body: { name: 'all', scopes } });
      return { workspaceId: made.body.id, key: body.key, cookie, accountId: await connectBoard(body.key) };
    },

    [Symbol.asyncDispose]: async () => {
      for (const each of [...processes]) await each.stop();
      await board.close();
      await mail?.close();
      await model?.close();
      await database[Symbol.asyncDispose]();
      await rm(dataDir, { recursive: true });
    },
  };
};

export type Workbench = Awaited<ReturnType<typeof workbench>>;

/** A log kept as lines, to look for what must not be in it. */
export const keptLog = (): { log: Log; lines: string[] } => {
  const lines: string[] = [];
  return { log: createLog('trace', { write: (line: string) => void lines.push(line) }), lines };
};

export type { BoardSandbox };
