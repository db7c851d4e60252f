import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/seed.ts'],
    maxWorkers: 2, // as many as CI has cores
    pool: 'forks', // native modules, and tests that kill what they start
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
