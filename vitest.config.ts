import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,sandbox,web,test,prove,bench,scripts}/**/*.test.{ts,tsx}'],
    pool: 'forks',
    globalSetup: './test/global-setup.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
