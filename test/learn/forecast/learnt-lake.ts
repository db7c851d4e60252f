import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { virtualClock } from '../../../src/base/clock.ts';
import { LAKE_FILE, type Lake } from '../../../src/lake/open.ts';
import { forecastLake } from '../../../src/learn/forecast/forecast-lake.ts';
import { freshFolder, freshLake } from '../../support/fresh.ts';
import { openTestLake } from '../../support/test-lake.ts';
import { FEW_CURVES, LEARNT_AT, putCurves } from './made-curves.ts';

/** Forecasts a lake at an instant. */
export const forecastRound = (lake: Lake, now = LEARNT_AT, relearn = false) =>
  forecastLake(lake, { clock: virtualClock(now), signal: new AbortController().signal, relearn });

type ForecastSummary = Awaited<ReturnType<typeof forecastRound>>;

const learn = async (): Promise<{ file: Buffer; summary: ForecastSummary }> => {
  const folder = mkdtempSync(join(tmpdir(), 'trendlake-learnt-'));
  try {
    const lake = openTestLake(folder);
    putCurves(lake, FEW_CURVES, LEARNT_AT);
    const summary = await forecastRound(lake);
    lake.close();
    return { file: readFileSync(join(folder, LAKE_FILE)), summary };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

let learnt: ReturnType<typeof learn> | undefined;

/**
 * A copy of a lake that learnt from `FEW_CURVES` at `LEARNT_AT`, closed when the test is over, and what that
 * round did. It learns once a process: that is the dear part.
 */
export const learntLake = async (): Promise<{ lake: Lake; summary: ForecastSummary }> => {
  learnt ??= learn();
  const { file, summary } = await learnt;
  const dataDir = freshFolder();
  writeFileSync(join(dataDir, LAKE_FILE), file, { mode: 0o600 });
  return { lake: freshLake(dataDir), summary };
};
