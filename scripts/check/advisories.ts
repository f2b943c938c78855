import { z } from 'zod';
import { type Outcome, run } from './run-tool.ts';

/** What a part of the check found wrong; or why it could not look, which is no failure. */
export type Finding = string | { note: string } | undefined;

const Severity = z.enum(['info', 'low', 'moderate', 'high', 'critical']);
const Advisory = z.object({ title: z.string(), url: z.string(), severity: Severity, range: z.string() });
const Report = z.object({
  // A name instead of an advisory: the package is only as bad as that other one.
  vulnerabilities: z.record(z.string(), z.object({ via: z.array(z.union([z.string(), Advisory])) })),
});
const Refusal = z.object({ message: z.string(), statusCode: z.number().optional() });

const withinMs = 10_000;
const grave: readonly string[] = ['high', 'critical'];

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** What npm's audit says, without the address it asked. */
export const readAudit = ({ code, stdout }: Pick<Outcome, 'code' | 'stdout'>): Finding => {
  if (code === null) return { note: `the registry did not answer within ${withinMs / 1_000} s` };
  const said = parsed(stdout);
  const report = Report.safeParse(said).data;
  if (report !== undefined) {
    const found = Object.entries(report.vulnerabilities).flatMap(([name, { via }]) =>
      via
        .filter((each) => typeof each !== 'string')
        .filter(({ severity }) => grave.includes(severity))
        .map(({ severity, range, title, url }) => `${severity}: ${name} ${range}: ${title} (${url})`),
    );
    return found.join('\n') || undefined;
  }
  const refusal = Refusal.safeParse(said).data;
  if (refusal === undefined) return `npm audit was not understood: ${stdout.slice(0, 500)}`;
  if (refusal.statusCode === undefined) return { note: 'the registry could not be reached' };
  return { note: `the registry gave no audit (it answered ${refusal.statusCode})` };
};

/** Asks npm for known advisories against what is installed where Switchboard runs. */
export const findAdvisories = async (npm = 'npm'): Promise<Finding> => {
  const args = ['audit', '--omit=dev', '--json', '--package-lock-only', '--fetch-retries=0', '--fetch-timeout=8000'];
  const outcome = await run(npm, args, { withinMs }).catch(() => undefined);
  return outcome === undefined ? { note: 'npm was not found' } : readAudit(outcome);
};
