import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below those that the system hands out by itself: one of these would be given to somebody else before it is listened on. */
const range = { from: 10_000, to: 32_000 };

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/** The first of so many free ports in a row. */
export const freePorts = async (count: number): Promise<number> => {
  const first = randomInt(range.from, range.to - count);
  for (let port = first; port < first + count; port += 1) if (!(await isFree(port))) return freePorts(count);
  return first;
};
