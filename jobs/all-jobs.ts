import type { Config } from '../src/base/config/config.ts';
import type { Chore, Job } from '../src/run/plan/job.ts';
import backup from './backup.ts';
import creators from './creators.ts';
import exportParquet from './export.ts';
import feed from './feed.ts';
import growth from './growth.ts';
import hashtags from './hashtags.ts';
import keep from './keep.ts';
import prune from './prune.ts';
import publish from './publish.ts';
import report from './report.ts';
import trends from './trends.ts';
import watch from './watch.ts';

/** Every job that asks the service for something, in the order a run plans them. */
export const JOBS: readonly Job[] = [feed, trends, hashtags, watch, growth, creators];

/** All jobs without calls. Each loads what it does when it runs, so that listing them is cheap. */
export const CHORES: readonly Chore[] = [exportParquet, publish, keep, prune, backup, report];

/** Chores that these settings ask for. */
export const choresOf = (config: Config): Chore[] =>
  CHORES.filter(({ isWanted }) => isWanted?.(config) ?? true);
