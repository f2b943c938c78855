import { defineConfig } from 'vitest/config';
import { EachAmongOthers } from './test/sequencer.ts';

export default defineConfig({
  test: {
    include: ['{src,sandbox,client,web,test,prove,bench,scripts}/**/*.test.{ts,tsx}'],
    pool: 'forks',
    // Tests wait for processes, browsers and timers more than they compute.
    maxWorkers: 4,
    // What is imported stays for the next file; most of a file's start was reading the same modules again.
    isolate: false,
    // Node reads the tests by itself, which costs less than Vite's runner.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // A heap that starts small goes through all that was imported, again and again, while it grows: a third of the time.
    execArgv: ['--initial-heap-size=512', '--max-semi-space-size=32'],
    sequence: { sequencer: EachAmongOthers },
    globalSetup: './test/global-setup.ts',
    // Every answer of every sandbox is held against the services' own descriptions.
    setupFiles: ['./sandbox/recording/in-tests.ts', './test/each-file.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Patient with a busy machine; what holds is found at once anyway.
    expect: { poll: { timeout: 45_000 } },
  },
});
