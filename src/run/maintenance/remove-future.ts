import { removeEventsAfter } from '../../alerts/events/outbox.ts';
import { removeHitsAfter } from '../../alerts/rules/alert-store.ts';
import { removeCreatorSnapshotsAfter } from '../../ingest/writers/creators.ts';
import { removeHashtagSnapshotsAfter } from '../../ingest/writers/hashtags.ts';
import { removeCapturesAfter } from '../../ingest/writers/rankings.ts';
import { removeSnapshotsAfter } from '../../ingest/writers/snapshots.ts';
import { resetNewestCounts } from '../../ingest/writers/videos.ts';
import { NOTICEABLE_SKEW_MS } from '../../lake/clock-skew.ts';
import { markRestored } from '../../lake/meta.ts';
import type { Lake } from '../../lake/open.ts';
import { removeForecastsAfter } from '../../learn/forecast/forecast-rows.ts';
import { removeVolumeForecastsAfter } from '../../learn/volumes/volume-rows.ts';
import { moveCallsAfter } from '../../upstream/throttle/call-rows.ts';
import { moveRunsAfter } from '../run/run-log.ts';
import { forgetSlotsAfter } from '../schedule/slot-book.ts';

/** Rows by table: removed, and moved to now. */
export interface FutureRows {
  readonly removed: Readonly<Record<string, number>>;
  readonly moved: Readonly<Record<string, number>>;
}

/**
 * Removes observations, events and forecasts more than ten minutes after `now` (Unix ms), which a fast
 * clock left. Moves calls and runs to `now`, so that the month still counts them. Keeps titles. The
 * next export rewrites all files.
 */
export const removeFuture = (lake: Lake, now: number): FutureRows => {
  const after = now + NOTICEABLE_SKEW_MS;
  return lake.sqlite
    .transaction((): FutureRows => {
      const removed = {
        events: removeEventsAfter(lake, after),
        forecasts: removeForecastsAfter(lake.sqlite, after),
        hashtag_forecasts: removeVolumeForecastsAfter(lake.sqlite, after),
        rankings: removeCapturesAfter(lake, after),
        video_snapshots: removeSnapshotsAfter(lake, after),
        hashtag_snapshots: removeHashtagSnapshotsAfter(lake, after),
        creator_snapshots: removeCreatorSnapshotsAfter(lake, after),
        slots: forgetSlotsAfter(lake, after),
        alert_hits: removeHitsAfter(lake, after),
      };
      resetNewestCounts(lake, after, now);
      const moved = {
        calls: moveCallsAfter(lake, after, now),
        runs: moveRunsAfter(lake, after, now),
      };
      markRestored(lake.sqlite); // exported files no longer show this lake
      return { removed, moved };
    })
    .immediate();
};
