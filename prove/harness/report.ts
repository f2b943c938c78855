import type { KeptRow } from './kept-rows.ts';
import { holds } from './row.ts';

const seconds = (ms: number | undefined): string => (ms === undefined ? '–' : `${(ms / 1_000).toFixed(1)} s`);
const count = (n: number | undefined): string => (n === undefined ? '–' : n.toLocaleString('en'));
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('|', '\\|');

const lineOf = (row: KeptRow): string =>
  [
    `**${row.proof}**${row.scale < 1 ? ' (short form)' : ''}<br>${escaped(row.guarantee)}`,
    count(row.tried),
    count(row.kills),
    count(row.stops),
    count(row.lost),
    count(row.duplicated),
    count(row.unknown),
    seconds(row.worstRecoveryMs),
    `${Math.round(row.tookMs / 1_000)} s`,
    holds(row) ? 'holds' : '**BROKEN**',
  ].join(' | ');

const sum = (rows: readonly KeptRow[], of: (row: KeptRow) => number | undefined): string =>
  count(rows.reduce((total, row) => total + (of(row) ?? 0), 0));

/** The table of all kept rows, in Markdown. */
export const reportOf = (rows: readonly KeptRow[]): string => {
  const [latest] = rows.toSorted((a, b) => b.at.localeCompare(a.at));
  const { cores, memoryGb, node, postgres } = latest?.machine ?? { cores: 0, memoryGb: 0, node: '', postgres: '' };
  const objections = rows.flatMap(({ proof, objections: why = [] }) =>
    why.map((text) => `- ${proof}: ${escaped(text)}`),
  );
  return `# What the proofs found

Written by \`npm run prove -- --report\`; see [README.md](README.md) for what each proof does.

- Machine: ${cores} cores, ${memoryGb} GB, shared with other work; Node ${node}, PostgreSQL ${postgres}
- In all: ${sum(rows, (row) => row.kills)} kills of our processes, ${sum(rows, (row) => row.stops)} times the database was taken away, ${sum(rows, (row) => row.events)} events, ${sum(rows, (row) => row.sends)} sends
- Lost ${sum(rows, (row) => row.lost)}, duplicated ${sum(rows, (row) => row.duplicated)}, told as unknown ${sum(rows, (row) => row.unknown)}

proof | tried | kills | stops | lost | duplicated | unknown | worst recovery | took | verdict
--- | --: | --: | --: | --: | --: | --: | --: | --: | ---
${rows.map(lineOf).join('\n')}
${objections.length === 0 ? '' : `\n${objections.join('\n')}\n`}
![How long recovery took at worst, proof by proof](report.svg)

"Worst recovery" is the longest time from a fault to work as usual; where nothing is taken away (poison, neighbour), the longest that an
event which was none of the trouble waited for its agent; for the clock, how late a reminder came.

proof | begun | commit
--- | --- | ---
${rows.map(({ proof, at, commit }) => `${proof} | ${at.slice(0, 16).replace('T', ' ')} UTC | ${commit}`).join('\n')}
`;
};

const left = 110;
const width = 520;
const height = 22;

/** Bars for the worst recovery of each proof, on a scale that shows tenths of seconds beside minutes. */
export const chartOf = (rows: readonly KeptRow[]): string => {
  const shown = rows.filter((row) => row.worstRecoveryMs !== undefined);
  const place = (ms: number): number => (Math.log10(Math.max(ms, 100) / 100) / Math.log10(6_000)) * width;
  const ticks = [100, 1_000, 10_000, 30_000, 100_000, 300_000];
  const bottom = shown.length * height + 10;
  const bars = shown.map(({ proof, worstRecoveryMs = 0 }, at) => {
    const y = at * height + 8;
    const wide = place(worstRecoveryMs).toFixed(0);
    return `<text x="${left - 8}" y="${y + 11}" text-anchor="end">${proof}</text><rect x="${left}" y="${y}" width="${wide}" height="14" fill="#4c6ef5"/><text x="${left + Number(wide) + 6}" y="${y + 11}">${seconds(worstRecoveryMs)}</text>`;
  });
  const lines = ticks.map((ms) => {
    const x = left + Number(place(ms).toFixed(0));
    return `<path d="M${x} 0V${bottom}" stroke="#8888" stroke-dasharray="2 3"/><text x="${x}" y="${bottom + 14}" text-anchor="middle">${ms / 1_000} s</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left + width + 70} ${bottom + 22}" font-family="sans-serif" font-size="12" fill="#777">
<title>Worst recovery by proof</title>
${[...lines, ...bars].join('\n')}
</svg>
`;
};
