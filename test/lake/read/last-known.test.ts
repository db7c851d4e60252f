import { expect, test } from 'vitest';
import { lastSnapshotReader } from '../../../src/alerts/events/video-history.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { HOUR_MS } from '../../../src/base/durations.ts';
import { movements } from '../../../src/lake/lists/movements.ts';
import { contentItems } from '../../../src/lake/read/content-items.ts';
import { creatorProfile } from '../../../src/lake/read/creator-profile.ts';
import { timeline } from '../../../src/lake/read/timeline.ts';
import { searchVideos } from '../../../src/lake/search/search.ts';
import { refreshSearch } from '../../../src/lake/search/search-index.ts';
import { readSubject } from '../../../src/learn/why/cohorts.ts';
import { filler, hoursAgo, NOW } from '../../serve/filled-lake.ts';
import { freshLake } from '../../support/fresh.ts';

// A million views, then the creator hides them; a smaller video beside it; and snapshots that came later.

const AS_OF = hoursAgo(2);

const lakeOf = () => {
  const lake = freshLake();
  const into = filler(lake);
  const [title, user] = ['ramen', 'mika'];
  const hidden = into.video({
    id: 'tt_hidden',
    title,
    user,
    snapshots: [
      [hoursAgo(30), 900_000, 5000],
      [hoursAgo(5), 1_000_000, 5000],
      [hoursAgo(3), null, null],
      [hoursAgo(1), 5, 1],
    ],
  });
  const small = into.video({
    id: 'tt_small',
    title,
    user,
    snapshots: [
      [hoursAgo(5), 50, 1],
      [hoursAgo(3), 60, 1],
      [hoursAgo(1), 70, 1],
    ],
  });
  refreshSearch(lake);
  return { lake, hidden, small };
};

test('a hidden count is the last one known, for every reader', () => {
  const { lake, hidden, small } = lakeOf();
  const known = { views: 1_000_000, likes: 5000 };
  const entries = [hidden, small].map((key) => ({ key, rank: null, score: null, velocity: null }));
  const items = contentItems(lake, entries, AS_OF, 'known');
  expect(items).toMatchObject([{ ...known, engagementRate: 0.5 }, { views: 60 }]);

  const profile = creatorProfile(lake, {
    platform: 'tiktok',
    handle: 'mika',
    asOf: AS_OF,
    limit: 9,
  });
  expect(profile?.videos[0]).toMatchObject({ id: 'tt_hidden', ...known });

  for (const start of ['snapshots', 'videos'] as const) {
    const span = { from: AS_OF - 24 * HOUR_MS, to: AS_OF };
    const moved = [...movements(lake, 'tiktok', span, start)].find(({ key }) => key === hidden);
    expect(moved).toMatchObject({ ...known, viewsAt: hoursAgo(5), baseViews: 900_000 });
  }
  expect(lastSnapshotReader(lake.sqlite)([hidden], AS_OF).get(hidden)?.views).toBe(known.views);
  expect(readSubject(lake, 'tt_hidden', AS_OF)?.views).toBe(known.views);
});

test('nor does it cost a video its reach in a search of the past', () => {
  const { lake, hidden, small } = lakeOf();
  const asked = { q: 'ramen', limit: 9, page: 1, asOf: AS_OF, deadlineMs: 60_000 };
  const clock = virtualClock(NOW);
  expect(searchVideos(lake, asked, clock).keys).toEqual([hidden, small]);
});

test('a rate that was not pulled is computed from the counts beside it', () => {
  const { lake, small } = lakeOf();
  lake.sqlite.exec('update video_snapshot set rate_derived = 0');
  const entry = { key: small, rank: 1, score: null, velocity: null };
  for (const counts of ['known', 'seen'] as const)
    expect(contentItems(lake, [entry], hoursAgo(5), counts)).toMatchObject([
      { views: 50, likes: 1, engagementRate: 2 },
    ]);
  expect(timeline(lake, small, hoursAgo(5))).toMatchObject([{ engagementRate: 2 }]);
});
