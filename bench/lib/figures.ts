import { appendFileSync, readFileSync } from 'node:fs';

/** One result. A ratio compares with a reference of the same run and so holds on other machines, too. */
export type Figure = {
  what: string;
  value: number;
  unit: 'ratio' | 'MB' | 'MB/h' | 'ms' | 'KB' | '/s' | '%';
  goal?: { least: number } | { most: number };
};

// Where `bench/main.ts` reads what a benchmark found; run by itself, a benchmark only prints.
const variable = 'BENCH_FIGURES';

export const noteFigure = (figure: Figure): void => {
  const file = process.env[variable];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`);
};

export const figuresIn = (file: string): { environment: Record<string, string>; read(): Figure[] } => ({
  environment: { [variable]: file },
  read: () => {
    try {
      return readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Figure);
    } catch {
      // A benchmark that broke off noted nothing.
      return [];
    }
  },
});

export const isMet = ({ value, goal }: Figure): boolean | undefined => {
  if (goal === undefined) return undefined;
  return 'least' in goal ? value >= goal.least : value <= goal.most;
};

const shortly = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);

export const shownFigure = ({ value, unit }: Pick<Figure, 'value' | 'unit'>): string =>
  unit === 'ratio' ? shortly(value) : `${shortly(value)} ${unit}`;

export const shownGoal = ({ goal }: Figure): string => {
  if (goal === undefined) return '';
  return 'least' in goal ? `at least ${goal.least}` : `at most ${goal.most}`;
};
