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
  /** Learn even what was learnt today. */
  readonly anew?: boolean;
}

const NOTHING: ForecastSummary = { learnt: 0, forecast: 0, hashtags: 0, told: [] };
/** Learning reads a bounded share of a lake; more than this is a mistake of ours. */
const MOST_MIB = 300;
/** What is young is thrown away soon: left to itself, the thread lets 200 MB of it gather. */
const YOUNG_MIB = 8;

/** Whether a lake has watched enough for a first model: else no thread is worth starting. */
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
 * Learns from the lake what is due and forecasts what it tracks, in a thread of its own with its
 * own connection. Running it twice over the same lake writes nothing the second time.
 * @throws LakeError when another one is at work on this lake or the lake cannot be written; the
 * signal's reason when stopped
 */
export const forecastLake = async (
  lake: Lake,
  { clock, signal, anew = false }: ForecastOptions,
): Promise<ForecastSummary> => {
  signal.throwIfAborted();
  const now = clock.now();
  if (!mayForecast(lake, now)) return NOTHING;
  return withExclusive(lake.dataDir, 'forecast', clock, () =>
    inThread({ lakePath: lake.path, now, anew }, signal),
  );
};
