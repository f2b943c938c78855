import { type Finding, findAdvisories } from './advisories.ts';
import { findMachineTraces } from './machine-traces.ts';
import { repositoryFiles } from './repository-files.ts';
import { runTool } from './run-tool.ts';
import { findSecretSigns } from './secret-signs.ts';

const tool = (name: string, ...args: string[]) => {
  return async () => {
    const { code, stdout, stderr } = await runTool(name, args);
    return code === 0 ? undefined : `${stdout}${stderr}`;
  };
};

/** The parts of `npm run check`; each answers what is wrong, or nothing. */
export const parts: Record<string, () => Promise<Finding>> = {
  // Each of several would find out the same types once more.
  types: tool('tsc', '-p', '.', '--checkers', '1'),
  lint: tool('oxlint', '--deny-warnings'),
  format: tool('biome', 'check', '--error-on-warnings', '.'),
  'dead code': tool('knip', '--no-config-hints', '--no-progress'),
  'no secrets': async () => findSecretSigns(repositoryFiles()).join('\n') || undefined,
  'no known advisories': () => findAdvisories(),
  'no traces of a machine': async () => findMachineTraces(repositoryFiles()).join('\n') || undefined,
};
