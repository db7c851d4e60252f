import type { CommandEntry } from './context/io.ts';

/** Every command. A command loads only itself. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'init',
    summary:
      'set up: ask for address, key, tier and platforms, check them, write the configuration',
    load: () => import('./commands/init.ts'),
  },
  {
    name: 'config',
    summary: 'check the settings and show where each comes from',
    load: () => import('./commands/config.ts'),
  },
  {
    name: 'sync',
    summary: 'run all jobs once: pull, load, export; resumes an unfinished run first',
    load: () => import('./commands/sync.ts'),
  },
  {
    name: 'schedule',
    summary: 'run the jobs on their schedules (daemon)',
    load: () => import('./commands/schedule.ts'),
  },
  {
    name: 'probe',
    summary: 'ask your service what the interface leaves open, and save the answers',
    load: () => import('./commands/probe.ts'),
  },
  {
    name: 'plan',
    summary: 'show what the next run and the rest of the month will cost',
    load: () => import('./commands/plan.ts'),
  },
  {
    name: 'watch',
    summary: 'follow creators, videos, hashtags and searches',
    load: () => import('./commands/watch.ts'),
  },
  {
    name: 'status',
    summary: 'show last runs, quota, freshness, volumes, drift and problems',
    load: () => import('./commands/status.ts'),
  },
  {
    name: 'query',
    summary: 'run read-only SQL over the lake; prints a table, --csv or --json',
    load: () => import('./commands/query.ts'),
  },
  {
    name: 'search',
    summary: 'search videos by words',
    load: () => import('./commands/search.ts'),
  },
  {
    name: 'diff',
    summary: 'show what changed in lists between two instants',
    load: () => import('./commands/diff.ts'),
  },
  {
    name: 'compare',
    summary: 'compare creators side by side',
    load: () => import('./commands/compare.ts'),
  },
  {
    name: 'analyze',
    summary: 'explain why a video went viral',
    load: () => import('./commands/analyze.ts'),
  },
  {
    name: 'forecast',
    summary: 'forecast views, with ranges and track record',
    load: () => import('./commands/forecast.ts'),
  },
  {
    name: 'events',
    summary: 'list detected events: spikes, viral creators, rising hashtags, niches',
    load: () => import('./commands/events.ts'),
  },
  {
    name: 'alerts',
    summary: 'be alerted when your own SQL returns new rows',
    load: () => import('./commands/alerts.ts'),
  },
  {
    name: 'report',
    summary: 'write a week on one page: rising and falling videos, creators, hashtags',
    load: () => import('./commands/report.ts'),
  },
  {
    name: 'export',
    summary: 'write Parquet files; changed files only unless --full',
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'publish',
    summary: 'publish as Delta tables for cloud query engines',
    load: () => import('./commands/publish.ts'),
  },
  {
    name: 'ledger',
    summary: 'set up the shared ledger in PostgreSQL for several machines',
    load: () => import('./commands/ledger.ts'),
  },
  {
    name: 'import',
    summary: 'load observations from NDJSON or CSV files',
    load: () => import('./commands/import.ts'),
  },
  {
    name: 'replay',
    summary: 'rebuild tables from stored responses, without calls',
    load: () => import('./commands/replay.ts'),
  },
  {
    name: 'forget',
    summary: 'erase a creator or a video everywhere and keep it out',
    load: () => import('./commands/forget.ts'),
  },
  {
    name: 'serve',
    summary: 'serve the same API over your lake, with a dashboard',
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'health',
    summary: 'check that schedule and serve respond; for health checks',
    load: () => import('./commands/health.ts'),
  },
  {
    name: 'mcp',
    summary: 'serve the lake to assistants (Model Context Protocol over stdio)',
    load: () => import('./commands/mcp.ts'),
  },
  {
    name: 'keys',
    summary: 'create, list and revoke keys of the service',
    load: () => import('./commands/keys.ts'),
  },
  {
    name: 'webhooks',
    summary: 'manage webhook subscriptions and deliveries',
    load: () => import('./commands/webhooks.ts'),
  },
  {
    name: 'sandbox',
    summary: 'serve a made-up world, or an import, with a ready key',
    load: () => import('./commands/sandbox.ts'),
  },
  {
    name: 'demo',
    summary: 'make nights of sample history against a sandbox',
    load: () => import('./commands/demo.ts'),
  },
  {
    name: 'completion',
    summary: 'print completion for bash, zsh or fish',
    load: () => import('./commands/completion.ts'),
  },
  {
    name: 'backup',
    summary: 'back up the lake and service.db, in the data directory or to a folder or bucket',
    load: () => import('./commands/backup.ts'),
  },
  {
    name: 'backups',
    summary: 'list backups',
    load: () => import('./commands/backups.ts'),
  },
  {
    name: 'restore',
    summary: 'replace the lake by a backup; the current one is kept',
    load: () => import('./commands/restore.ts'),
  },
  {
    name: 'doctor',
    summary: 'check configuration, service, database and Parquet; make and restore backups',
    load: () => import('./commands/doctor.ts'),
  },
];
