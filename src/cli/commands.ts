import type { CommandEntry, CommandModule } from './context/io.ts';

/** Summary of each command, in the order of the help. */
const SUMMARIES = {
  init: 'set up: ask for address, key, tier and platforms, check them, write the configuration',
  config: 'check the settings and show where each comes from',
  sync: 'run all jobs once: pull, load, export; resumes an unfinished run first',
  schedule: 'run the jobs on their schedules (daemon)',
  probe: 'ask your service what the interface leaves open, and save the answers',
  plan: 'show what the next run and the rest of the month will cost',
  watch: 'follow creators, videos, hashtags and searches',
  status: 'show last runs, quota, freshness, volumes, drift and problems',
  query: 'run read-only SQL over the lake; prints a table, --csv or --json',
  search: 'search videos by words',
  diff: 'show what changed in lists between two instants',
  compare: 'compare creators side by side',
  analyze: 'explain why a video went viral',
  forecast: 'forecast views, with ranges and track record',
  events: 'list detected events: spikes, viral creators, rising hashtags, niches',
  alerts: 'be alerted when your own SQL returns new rows',
  report: 'write a week on one page: rising and falling videos, creators, hashtags',
  export: 'write Parquet files; changed files only unless --full',
  publish: 'publish as Delta tables for cloud query engines',
  ledger: 'set up the shared ledger in PostgreSQL for several machines',
  import: 'load observations from NDJSON or CSV files',
  replay: 'rebuild tables from stored responses, without calls',
  forget: 'erase a creator or a video everywhere and keep it out',
  serve: 'serve the same API over your lake, with a dashboard',
  health: 'check that schedule and serve respond; for health checks',
  mcp: 'serve the lake to assistants (Model Context Protocol over stdio)',
  keys: 'create, list and revoke keys of the service',
  webhooks: 'manage webhook subscriptions and deliveries',
  sandbox: 'serve a made-up world, or an import, with a ready key',
  demo: 'make nights of sample history against a sandbox',
  completion: 'print completion for bash, zsh or fish',
  backup: 'back up the lake and service.db, in the data directory or to a folder or bucket',
  backups: 'list backups',
  restore: 'replace the lake by a backup; the current one is kept',
  doctor: 'check configuration, service, database and Parquet; make and restore backups',
};

/** Every command. A command loads only its own file, `commands/<name>.ts`. */
export const COMMANDS: readonly CommandEntry[] = Object.entries(SUMMARIES).map(
  ([name, summary]) => ({
    name,
    summary,
    load: (): Promise<CommandModule> => import(`./commands/${name}.ts`),
  }),
);
