import path from 'node:path';
import { defineConfig } from 'vite';

/** What a process of ours runs, packages included: a few files, which Node reads much faster than many hundreds. */
export default defineConfig({
  root: path.resolve(import.meta.dirname, '../..'),
  publicDir: false,
  ssr: {
    noExternal: true,
    // Read when a model is first asked: by then the bundle may have been built anew.
    external: ['@ai-sdk/anthropic', '@ai-sdk/openai-compatible'],
  },
  build: {
    ssr: 'src/cli/main.ts',
    outDir: 'dist/server',
    target: 'node24',
    sourcemap: true,
    // Beside each other, so that the way to the root is the same from each.
    rolldownOptions: { output: { keepNames: true, chunkFileNames: '[name]-[hash].js' } },
  },
});
