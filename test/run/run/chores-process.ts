import backup from '../../../jobs/backup.ts';
import prune from '../../../jobs/prune.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { readConfig } from '../../../src/base/config/config.ts';
import { DAY_MS } from '../../../src/base/durations.ts';
import { TrendlakeError } from '../../../src/base/errors.ts';
import { openLake } from '../../../src/lake/open.ts';
import { attempting } from '../../../src/run/run/attempt.ts';

// `chores-process backup` or `prune`: attempts one chore on the lake of TRENDLAKE_DATA_DIR a year later,
// as the daemon does, and exits with 1 where it failed.
const { env } = process;
const config = readConfig({ flags: {}, env, cwd: process.cwd() });
const clock = virtualClock(Date.now() + 400 * DAY_MS);
const { signal } = new AbortController();
const tell = (sentence: string): void => void process.stderr.write(`${sentence}\n`);
const chore = process.argv[2] === 'backup' ? backup : prune;
try {
  const lake = openLake(config.dataDir);
  const attempt = attempting({
    lakePath: lake.path,
    signal,
    report: { warn: tell, fail: tell },
  });
  const context = { lake, config, clock, signal, env, random: Math.random };
  const { ok } = await attempt(chore.name, () => chore.run(context));
  lake.close();
  process.exitCode = ok ? 0 : 1;
} catch (error) {
  if (!(error instanceof TrendlakeError)) throw error;
  tell(error.message);
  process.exitCode = error.exitCode;
}
