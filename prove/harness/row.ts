/** What a proof found. Counts come from outside the product. */
export type Row = {
  guarantee: string;
  tried: number;
  lost: number;
  duplicated: number;
  unknown: number;
  /** How many of those that were tried are events, and how many are mails sent. */
  events?: number;
  sends?: number;
  /** Processes of ours that were killed. */
  kills?: number;
  /** Times the database was taken away. */
  stops?: number;
  /** Longest time from a fault to work as usual. */
  worstRecoveryMs?: number;
  /** What else must hold for the verdict; a sentence for each that does not. */
  objections?: string[];
};

/** A scale so small that a machine with much else to do runs it within seconds; what depends on its pace is not judged. */
export const tiny = 0.02;

export type ProofOptions = {
  scale: number;
  progress: (text: string) => void;
  /** A migrated database to use instead of one that is set up for this proof alone. */
  database?: string;
};

export type Proof = {
  name: string;
  about: string;
  /** `scale` 1 is the full form; `npm test` runs a short or a tiny one. */
  run(options: ProofOptions): Promise<Row>;
};

export const holds = ({ lost, duplicated, objections = [] }: Row): boolean =>
  lost === 0 && duplicated === 0 && objections.length === 0;

const columns = [
  'proof',
  'tried',
  'kills',
  'stops',
  'lost',
  'duplicated',
  'unknown',
  'worst recovery',
  'took',
  'verdict',
];

/** One line for each proof. */
export const table = (rows: readonly (Row & { proof: string; tookMs: number })[]): string => {
  const cells = rows.map((row) => [
    `${row.proof}: ${row.guarantee}`,
    String(row.tried),
    String(row.kills ?? '-'),
    String(row.stops ?? '-'),
    String(row.lost),
    String(row.duplicated),
    String(row.unknown),
    row.worstRecoveryMs === undefined ? '-' : `${(row.worstRecoveryMs / 1000).toFixed(1)} s`,
    `${(row.tookMs / 1000).toFixed(0)} s`,
    holds(row) ? 'holds' : 'BROKEN',
  ]);
  const widths = columns.map((name, at) => Math.max(name.length, ...cells.map((line) => line[at]?.length ?? 0)));
  const line = (texts: readonly string[]) =>
    texts
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  const objections = rows.flatMap(({ proof, objections: why = [] }) => why.map((text) => `${proof}: ${text}`));
  return [line(columns), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line), ...objections].join('\n');
};
