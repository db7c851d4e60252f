import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/scratch.ts'],
    setupFiles: ['test/support/seed.ts'],
    maxWorkers: 2, // as many as CI has cores
    pool: 'forks', // native modules, and tests that kill what they start
    isolate: false, // each test owns its folder, port and clock; a process for each file took a fifth of the time
    // they only end what hangs: the machine may be busy
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
