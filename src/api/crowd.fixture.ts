import { connect } from 'node:net';

// Many who come to a server in the same moment: a process of its own, as a busy server would keep them from coming.
const [port, many] = process.argv.slice(2).map(Number) as [number, number];
const statuses: Record<string, number> = {};
let asked = 0;
let ended = 0;

const tally = (status: string): void => {
  statuses[status] = (statuses[status] ?? 0) + 1;
  ended += 1;
  if (ended === many) process.send?.(statuses, () => process.disconnect());
};

for (let n = 0; n < many; n += 1) {
  let answer = '';
  let failure = 'no answer';
  const socket = connect(port, '127.0.0.1');
  socket.once('connect', () => {
    socket.write('GET / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n', () => {
      asked += 1;
      if (asked === many) process.send?.('asked');
    });
  });
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', ({ message }) => {
    failure = message;
  });
  socket.once('close', () => tally(answer.split(' ')[1] ?? failure));
}
