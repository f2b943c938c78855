import { parseArgs } from 'node:util';
import { defaultPort, startSandbox } from './index.ts';

const usage = `Usage: node sandbox/main.ts [--port ${defaultPort}] [--data directory]

Starts stand-ins for the mail service, the board service and a model server on this machine.
  --port   where mail listens; board and model take the next two. 0 takes free ports.
  --data   keeps mail and boards in this directory; without it they are forgotten.
`;

const leave = (text: string, code: number): never => {
  (code === 0 ? process.stdout : process.stderr).write(text);
  process.exit(code);
};

const readArguments = () => {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string', default: String(defaultPort) },
        host: { type: 'string', default: '127.0.0.1' },
        data: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    return values;
  } catch (error) {
    return leave(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`, 2);
  }
};

const { port, host, data, help } = readArguments();
if (help) leave(usage, 0);
const options = { port: Number(port), host, ...(data === undefined ? {} : { dataDir: data }) };
const sandbox = await startSandbox(options).catch((error: unknown) =>
  leave(`The sandbox could not start: ${error instanceof Error ? error.message : String(error)}\n`, 1),
);

const stop = () => {
  void sandbox.close().then(() => process.exit(0));
};
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
// Whoever started it over a channel may be gone, however it went: even before there was somebody to hear of it.
if (process.send !== undefined) {
  process.once('disconnect', stop);
  if (!process.connected) stop();
}

process.stdout.write(`The sandbox is ready. Nothing in it is real, and nothing leaves this machine.
  Mail   ${sandbox.mail.url}   people ada, ben (work) and cy (personal) @sandbox.test, password "sandbox"
  Board  ${sandbox.board.url}
  Model  ${sandbox.model.url}   a script, not a model
`);
