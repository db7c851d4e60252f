import { removeEventsAfter } from '../../alerts/events/outbox.ts';
import { removeCreatorSnapshotsAfter } from '../../ingest/writers/creators.ts';
import { removeHashtagSnapshotsAfter } from '../../ingest/writers/hashtags.ts';
import { removeCapturesAfter } from '../../ingest/writers/rankings.ts';
import { removeSnapshotsAfter } from '../../ingest/writers/snapshots.ts';
import { resetNewestCounts } from '../../ingest/writers/videos.ts';
import { NOTICEABLE_SKEW_MS } from '../../lake/clock-skew.ts';
import { dropListBasis } from '../../lake/lists/list-basis.ts';
import { markRestored } from '../../lake/meta.ts';
import type { Lake } from '../../lake/open.ts';
import { removeForecastsAfter } from '../../learn/forecast/forecast-rows.ts';
import { removeVolumeForecastsAfter } from '../../learn/volumes/volume-rows.ts';
import { moveCallsAfter } from '../../upstream/throttle/call-rows.ts';
import { moveRunsAfter } from '../run/run-log.ts';
import { forgetSlotsAfter } from '../schedule/slot-book.ts';

/** What was removed, and what was moved to now because it did happen. */
export interface FutureRows {
  readonly removed: Readonly<Record<string, number>>;
  readonly moved: Readonly<Record<string, number>>;
}

/**
 * Removes what a clock that was ahead left behind: observations, events and forecasts of the future, more
 * than ten minutes from `now` (Unix ms). Calls and runs did happen and are moved to `now`, so that the
 * month still counts them. Titles stay as they were pulled. The next export writes every file again.
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
      };
      resetNewestCounts(lake, after, now);
      const moved = {
        calls: moveCallsAfter(lake, after, now),
        runs: moveRunsAfter(lake, after, now),
      };
      dropListBasis(lake);
      markRestored(lake.sqlite); // exported files no longer show this lake
      return { removed, moved };
    })
    .immediate();
};
