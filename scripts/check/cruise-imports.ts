import { z } from 'zod';
import { runTool } from './run-tool.ts';

const Report = z.object({
  modules: z.array(z.object({ source: z.string() })),
  summary: z.object({
    violations: z.array(z.object({ from: z.string(), to: z.string(), rule: z.object({ name: z.string() }) })),
  }),
});

const folders = /^(?:src|sandbox|web|test|prove|bench|scripts)\//;
const isSource = (file: string) => folders.test(file) && /(?<![.]d)[.](?:ts|tsx|mjs)$/.test(file);

/** Runs dependency-cruiser, and makes sure that it has read every source file. */
export const cruiseImports = async (files: readonly string[]): Promise<string | undefined> => {
  const sources = files.filter(isSource);
  const top = [...new Set(sources.map((file) => file.split('/')[0] ?? file))];
  const { stdout, stderr } = await runTool('depcruise', ['--config', '.dependency-cruiser.mjs', '-T', 'json', ...top]);
  if (stdout === '') return stderr;
  const { modules, summary } = Report.parse(JSON.parse(stdout));
  const read = new Set(modules.map(({ source }) => source));
  const problems = [
    ...sources.filter((file) => !read.has(file)).map((file) => `${file} was not read`),
    ...summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`),
  ];
  return problems.join('\n') || undefined;
};
