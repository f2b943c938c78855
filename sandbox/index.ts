import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { type BoardSandbox, startBoard } from './board/server.ts';
import { type MailSandbox, startMail } from './mail/server.ts';
import { type ModelSandbox, startModel } from './model/server.ts';

export type { BoardSandbox, MailSandbox, ModelSandbox };

export type SandboxOptions = {
  /** Mail listens here, the board one above, the model two above; 0 takes free ports. */
  port?: number;
  /** Where mail and boards are kept between runs; without it they are forgotten. */
  dataDir?: string;
  /** Loopback is all there is: another name is refused, not ignored. */
  host?: string;
};

export type Sandbox = { mail: MailSandbox; board: BoardSandbox; model: ModelSandbox; close: () => Promise<void> };

export const defaultPort = 4610;
const loopback = new Set(['127.0.0.1', 'localhost']);

export const startSandbox = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const { port = defaultPort, dataDir, host = '127.0.0.1' } = options;
  if (!loopback.has(host))
    throw new Error(`The sandbox holds no secrets and asks for none, so it listens on 127.0.0.1 only, not on ${host}.`);
  if (!Number.isInteger(port) || port < 0 || port > 65_533)
    throw new Error(`The port must be a whole number from 0 to 65533, not ${port}.`);
  if (dataDir !== undefined) mkdirSync(dataDir, { recursive: true });
  const at = (offset: number, file?: string) => ({
    port: port === 0 ? 0 : port + offset,
    ...(dataDir === undefined || file === undefined ? {} : { file: path.join(dataDir, file) }),
  });

  const started = await Promise.allSettled([
    startMail(at(0, 'mail.json')),
    startBoard(at(1, 'board.json')),
    startModel(at(2)),
  ]);
  const closeAll = async () => {
    await Promise.all(started.flatMap((each) => (each.status === 'fulfilled' ? [each.value.close()] : [])));
  };
  const [mail, board, model] = started;
  if (mail.status === 'fulfilled' && board.status === 'fulfilled' && model.status === 'fulfilled')
    return { mail: mail.value, board: board.value, model: model.value, close: closeAll };
  await closeAll();
  throw started.find((each) => each.status === 'rejected')?.reason;
};
