import type { Clock } from '../../base/clock.ts';
import { DAY_MS } from '../../base/durations.ts';
import { LakeError, messageOf } from '../../base/errors.ts';
import { runInThread } from '../../base/thread.ts';
import { workerFile } from '../../base/worker-file.ts';
import { withExclusive } from '../../lake/exclusive.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import { LEAST_FINISHED } from '../model/learn.ts';
import { LEAST_WATCHED_MS } from '../volumes/learn-volumes.ts';
import type { ForecastSummary } from './forecast-work.ts';
import type { ForecastRequest } from './forecast-worker.ts';

export interface ForecastOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Also learn models that were learned today. */
  readonly relearn?: boolean;
}

const NOTHING: ForecastSummary = { learnt: 0, forecast: 0, hashtags: 0, warnings: [] };
/** Learning reads a limited share of a lake, so more memory than this is a bug. */
const MOST_MIB = 300;
/** With the default the thread collects 200 MB of short-lived objects. */
const YOUNG_MIB = 8;

/** False if the lake has too little history for a first model, so no thread is needed. */
const mayForecast = ({ sqlite }: Lake, now: number): boolean => {
  if (sqlite.prepare('select 1 from models limit 1').get() !== undefined) return true;
  const old = required(
    prepare(
      sqlite,
      `select count(*) from (select 1 from video where first_seen_at <= ? limit ${LEAST_FINISHED})`,
      'number',
    ).get(now - DAY_MS),
  );
  if (old >= LEAST_FINISHED) return true;
  const volumes = sqlite.prepare('select 1 from hashtag_snapshot where observed_at <= ? limit 1');
  return volumes.get(now - LEAST_WATCHED_MS) !== undefined;
};

const inThread = async (
  request: ForecastRequest,
  signal: AbortSignal,
): Promise<ForecastSummary> => {
  try {
    return await runInThread<ForecastRequest, ForecastSummary>(
      {
        file: workerFile(import.meta.url, 'forecast-worker'),
        name: 'forecast',
        limits: { maxOldGenerationSizeMb: MOST_MIB, maxYoungGenerationSizeMb: YOUNG_MIB },
      },
      request,
      { signal },
    );
  } catch (error) {
    signal.throwIfAborted();
    throw new LakeError(messageOf(error), { cause: error, transient: true });
  }
};

/**
 * Learns the due models and forecasts tracked videos, in a separate thread. A second run over the
 * same lake writes nothing.
 * @throws LakeError if another process forecasts or the lake is not writable; the signal's reason if stopped
 */
export const forecastLake = async (
  lake: Lake,
  { clock, signal, relearn = false }: ForecastOptions,
): Promise<ForecastSummary> => {
  signal.throwIfAborted();
  const now = clock.now();
  if (!mayForecast(lake, now)) return NOTHING;
  return withExclusive(lake.dataDir, 'forecast', clock, () =>
    inThread({ lakePath: lake.path, now, relearn }, signal),
  );
};
