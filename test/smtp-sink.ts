import { type AddressInfo, createServer, type Socket } from 'node:net';

export type Letter = { from: string; to: string[]; data: string };

/** A mail server on loopback that keeps what it is given. `refuse` may answer a recipient with an error line instead. */
export const openSmtpSink = async (
  refuse: (recipient: string, nth: number) => string | undefined = () => undefined,
) => {
  const letters: Letter[] = [];
  const sockets = new Set<Socket>();
  let asked = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    let letter: Letter = { from: '', to: [], data: '' };
    let reading = false;
    let rest = '';
    const say = (line: string) => void socket.write(`${line}\r\n`);
    const hear = (line: string): void => {
      if (reading) {
        if (line !== '.') return void (letter.data += `${line.replace(/^\.\./, '.')}\n`);
        reading = false;
        letters.push(letter);
        letter = { from: '', to: [], data: '' };
        return say('250 kept');
      }
      const address = /<(.*?)>/.exec(line)?.[1] ?? '';
      const [verb = ''] = line.toUpperCase().split(' ');
      if (verb === 'MAIL') {
        letter = { from: address, to: [], data: '' };
      } else if (verb === 'RCPT') {
        asked += 1;
        const refusal = refuse(address, asked);
        if (refusal !== undefined) return say(refusal);
        letter.to.push(address);
      } else if (verb === 'DATA') {
        reading = true;
        return say('354 go on');
      } else if (verb === 'QUIT') {
        return void socket.end('221 bye\r\n');
      }
      say('250 ok');
    };
    socket.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\r\n');
      rest = lines.pop() ?? '';
      lines.forEach(hear);
    });
    say('220 sink');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    letters,
    asked: () => asked,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
