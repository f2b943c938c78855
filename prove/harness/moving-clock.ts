import { readFileSync } from 'node:fs';

// Loaded into a process before anything else: its clock tells what a file says, as if somebody had set the machine's.
const Real = Date;
const file = process.env['MOVED_CLOCK'] ?? '';
let offset = 0;
const read = (): void => {
  try {
    offset = Number(readFileSync(file, 'utf8')) || 0;
  } catch {
    offset = 0;
  }
};
read();
setInterval(read, 100).unref();

const moved = (): number => Real.now() + offset;
globalThis.Date = new Proxy(Real, {
  construct: (target, given: [], asked) => Reflect.construct(target, given.length === 0 ? [moved()] : given, asked),
  get: (target, name) => (name === 'now' ? moved : Reflect.get(target, name)),
});
