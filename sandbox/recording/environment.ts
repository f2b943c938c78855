/** What a child process needs in its environment so that a sandbox it starts is recorded like those of this process. */
export const recordingEnvironment = (): Record<string, string> => {
  const { SANDBOX_RECORD: folder, NODE_COMPILE_CACHE: compiled } = process.env;
  if (folder === undefined || folder === '') return {};
  const hook = { SANDBOX_RECORD: folder, NODE_OPTIONS: `--import=${new URL('recorder.ts', import.meta.url).href}` };
  // The recorder is read before a program can name the cache itself.
  return compiled === undefined ? hook : { ...hook, NODE_COMPILE_CACHE: compiled };
};
