import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

const traces: Record<string, RegExp> = {
  // Not after a word: /v1.0/me/drive/root/children is an address, not a path of a machine.
  'a path of one machine': /(?<![\w.~:/})\]*-])\/(?:work|tmp|home|root|Users)\/[\w.-]/,
  'the host of a package registry': /\bregistry\.[a-z\d-]+\.[a-z]{2,}|"resolved":\s*"http/i,
};

/** What a text says about the machine it was written on, line by line. */
export const machineTracesIn = (text: string): string[] =>
  text.split('\n').flatMap((line, index) =>
    Object.entries(traces)
      .filter(([, sign]) => sign.test(line))
      .map(([what]) => `${index + 1}: ${what}: ${line.trim().slice(0, 120)}`),
  );

/** Traces in any of these files; files that are not text are passed over. */
export const findMachineTraces = (files: readonly string[]): string[] =>
  files.flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    return text.includes('\0') ? [] : machineTracesIn(text).map((trace) => `${file}:${trace}`);
  });
