import { inspect } from 'node:util';
import pino from 'pino';

export type Log = pino.Logger;

// Names under which a secret could reach a log line; redaction is the second wall, not logging them is the first.
const secretNames = [
  'authorization',
  'cookie',
  'password',
  'token',
  'secret',
  'key',
  'credential',
  'apiKey',
  'connectionString',
];

const paths = secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`, `headers["${name}"]`]);

const quietMs = 30_000;
const mostRemembered = 500;

/** Failing rows and what was to be stored hold people's data: what the database tells of them is left out. */
const withoutRows = (error: Error): object => {
  const { detail: _, where: __, ...told } = pino.stdSerializers.err(error);
  return told;
};

/** All that a field holds, in one line: objects that differ within are different. */
const inWords = (value: unknown): string =>
  value instanceof Error ? String(value) : inspect(value, { depth: 4, breakLength: Number.POSITIVE_INFINITY });

/** While something is away, what looks for it would say the same many times a second. Answers how to tell a warning. */
const createRepetitions = (now: () => number) => {
  const told = new Map<string, { until: number; times: number }>();
  return (fields: object, message: string): 'keep silent' | { repeated?: number } => {
    const line = [message, ...Object.entries(fields).map(([name, value]) => `${name} ${inWords(value)}`)].join(' ');
    const known = told.get(line);
    if (known !== undefined && now() < known.until) {
      known.times += 1;
      return 'keep silent';
    }
    if (told.size >= mostRemembered) told.clear();
    told.set(line, { until: now() + quietMs, times: 0 });
    return known === undefined || known.times === 0 ? {} : { repeated: known.times };
  };
};

/** Structured logs on standard output, one JSON object a line. A warning that only repeats is told twice a minute. */
export const createLog = (level: string, destination?: pino.DestinationStream, now = () => performance.now()): Log => {
  const repetitions = createRepetitions(now);
  return pino(
    {
      hooks: {
        logMethod(given, method, number) {
          const [fields, message] = given as unknown as [unknown, unknown];
          if (number !== pino.levels.values['warn'] || typeof fields !== 'object' || fields === null)
            return method.apply(this, given);
          const told = repetitions(fields, String(message));
          if (told !== 'keep silent') method.apply(this, [{ ...fields, ...told }, String(message)]);
        },
      },
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: [...paths, 'set-cookie', '*["set-cookie"]'], censor: '[secret]' },
      serializers: { err: withoutRows },
    },
    ...(destination === undefined ? [] : [destination]),
  );
};

export const silentLog: Log = pino({ level: 'silent' });
