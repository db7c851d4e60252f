import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

/**
 * Proofs by repetition, whole tours, a real browser and real kills: minutes of work that
 * `npm run prove` does (CI: `npm run prove -- --short`), so that `npm test` stays under two.
 */
const PROOFS = [
  'test/sandbox/demo/cookbook.test.ts',
  'test/sandbox/demo/demo.test.ts',
  'test/sandbox/demo/nights.test.ts',
  'test/sandbox/demo/outlook.test.ts',
  'test/sandbox/demo/same-events.test.ts',
  'test/docs/outgrow.test.ts',
  'test/docs/start.test.ts',
  'test/output/parquet/kill.test.ts',
  'test/output/parquet/torn.test.ts',
  'test/faults/anywhere.test.ts',
  'test/faults/catalogue.test.ts',
  'test/kills/backups.test.ts',
  'test/kills/daemon.test.ts',
  'test/kills/every-instant.test.ts',
  'test/kills/kills.test.ts',
  'test/kills/opening.test.ts',
  'test/kills/random.test.ts',
  'test/kills/removing.test.ts',
  'test/output/delta/kills.test.ts',
  'test/serve/browser.test.ts',
  'test/serve/every-page.test.ts',
  'test/serve/query-page.test.ts',
  'test/run/run/disk-errors.test.ts',
  'test/run/run/stopping.test.ts',
  'test/alerts/webhooks/killed-sender.test.ts',
  'test/alerts/rules/backtest.test.ts',
];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: process.env.PROVE === undefined ? PROOFS : [],
    globalSetup: ['test/support/scratch.ts'],
    setupFiles: ['test/support/seed.ts'],
    maxWorkers: 3, // CI has two cores, and one in three waits for a process it started
    sequence: { sequencer: LongestFirst },
    pool: 'forks', // native modules, and tests that kill what they start
    // Node itself runs the sources, as it does for who uses them; nothing is mocked or transformed here
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: ['--max-semi-space-size=64'], // MB; small worlds die young, so fewer are copied
    isolate: false, // each test owns its folder, port and clock; a process a file costs half a second
    // they only end what hangs: the machine may be busy
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000, interval: 5 } },
  },
});
