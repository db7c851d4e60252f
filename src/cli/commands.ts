import type { CommandEntry } from './io.ts';

/** Every command. A command loads only itself. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'init',
    summary:
      'set up: asks for address, key, tier and platforms, tries them, writes the configuration',
    load: () => import('./commands/init.ts'),
  },
  {
    name: 'sync',
    summary: 'one run now: pull, load, export; takes up an unfinished run first',
    load: () => import('./commands/sync.ts'),
  },
  {
    name: 'schedule',
    summary: 'the daemon: runs the jobs on their schedules',
    load: () => import('./commands/schedule.ts'),
  },
  {
    name: 'plan',
    summary: 'what the next run and the rest of the month will cost, job by job',
    load: () => import('./commands/plan.ts'),
  },
  {
    name: 'status',
    summary: 'last runs, quota, freshness, volumes, drift, problems',
    load: () => import('./commands/status.ts'),
  },
  {
    name: 'query',
    summary: 'read-only SQL over the lake; a table, --csv or --json',
    load: () => import('./commands/query.ts'),
  },
  {
    name: 'search',
    summary: 'full-text search over the lake',
    load: () => import('./commands/search.ts'),
  },
  {
    name: 'analyze',
    summary: "why a video went viral, from the lake's numbers",
    load: () => import('./commands/analyze.ts'),
  },
  {
    name: 'forecast',
    summary: 'what will be, with what certainty; how earlier forecasts did',
    load: () => import('./commands/forecast.ts'),
  },
  {
    name: 'events',
    summary: 'what was noticed: spikes, viral creators, rising hashtags, niches',
    load: () => import('./commands/events.ts'),
  },
  {
    name: 'report',
    summary: 'a week on one page to send: what rose, what fell, who, which tags',
    load: () => import('./commands/report.ts'),
  },
  {
    name: 'export',
    summary: 'Parquet files of the lake; changed partitions only unless --full',
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'publish',
    summary: 'the Parquet as tables on object storage, for engines that others operate',
    load: () => import('./commands/publish.ts'),
  },
  {
    name: 'ledger',
    summary: 'the shared ledger in PostgreSQL: one pace and month for many machines',
    load: () => import('./commands/ledger.ts'),
  },
  {
    name: 'import',
    summary: 'load observations from NDJSON files into the lake',
    load: () => import('./commands/import.ts'),
  },
  {
    name: 'replay',
    summary: 'rebuild tables from kept responses, without a call',
    load: () => import('./commands/replay.ts'),
  },
  {
    name: 'serve',
    summary: 'the same interface over the lake, with a dashboard',
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'mcp',
    summary: 'the lake for assistants: a Model Context Protocol server over stdio',
    load: () => import('./commands/mcp.ts'),
  },
  {
    name: 'keys',
    summary: 'make, list and revoke keys of the service',
    load: () => import('./commands/keys.ts'),
  },
  {
    name: 'webhooks',
    summary: 'who is told of events, where; deliveries',
    load: () => import('./commands/webhooks.ts'),
  },
  {
    name: 'sandbox',
    summary: 'the service over a made-up world, or over an import, with a ready key',
    load: () => import('./commands/sandbox.ts'),
  },
  {
    name: 'demo',
    summary: 'nights of sync against a sandbox on a virtual clock',
    load: () => import('./commands/demo.ts'),
  },
  {
    name: 'completion',
    summary: 'completion of commands and options for bash, zsh or fish',
    load: () => import('./commands/completion.ts'),
  },
  {
    name: 'doctor',
    summary: 'check configuration, service, database and Parquet',
    load: () => import('./commands/doctor.ts'),
  },
];
