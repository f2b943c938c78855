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

/** Structured logs on standard output, one JSON object a line. */
export const createLog = (level: string, destination?: pino.DestinationStream): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: [...paths, 'set-cookie', '*["set-cookie"]'], censor: '[secret]' },
      serializers: { err: pino.stdSerializers.err },
    },
    ...(destination === undefined ? [] : [destination]),
  );

export const silentLog: Log = pino({ level: 'silent' });
