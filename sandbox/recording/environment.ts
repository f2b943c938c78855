/** What a child process needs in its environment so that a sandbox it starts is recorded like those of this process. */
export const recordingEnvironment = (): Record<string, string> => {
  const folder = process.env['SANDBOX_RECORD'];
  if (folder === undefined || folder === '') return {};
  return { SANDBOX_RECORD: folder, NODE_OPTIONS: `--import=${new URL('recorder.ts', import.meta.url).href}` };
};
