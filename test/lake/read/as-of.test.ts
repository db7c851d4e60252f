import fc from 'fast-check';
import { expect, test } from 'vitest';
import { virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import { computeList, type ListQuery } from '../../../src/lake/lists/computed-list.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { contentItems } from '../../../src/lake/read/content-items.ts';
import { creatorProfile } from '../../../src/lake/read/creator-profile.ts';
import { timeline, videoByIdAsOf, videoRecord } from '../../../src/lake/read/timeline.ts';
import { searchPage } from '../../../src/lake/search/search.ts';
import { hoursAgo, NOW } from '../../serve/filled-lake.ts';
import { draws } from '../../support/draws.ts';
import { freshLake } from '../../support/fresh.ts';
import { HANDLES, idOf, loadSeen, seenCreator, seenVideo, WORDS } from './seen.ts';

// An answer as of T, given while the lake knew nothing later, stays the same for ever.

const QUESTIONS: readonly ListQuery[] = [
  { list: 'feed', platform: 'tiktok', windowMs: 3 * DAY_MS },
  { list: 'trends', platform: 'youtube', period: 'week' },
  { list: 'hashtags', platform: '', windowMs: 7 * DAY_MS },
  { list: 'hashtags', platform: 'tiktok', windowMs: 2 * DAY_MS },
];

/** Everything that can be asked as of an instant, as text. */
const answers = (lake: Lake, asOf: number): string[] => {
  const clock = virtualClock(NOW);
  const lists = QUESTIONS.map((wanted) => {
    const { total, items } = computeList(lake, { wanted, asOf, from: 0, count: 50 });
    return { total, items };
  });
  const videos = [0, 1, 2, 3].map((video) => {
    const found = videoByIdAsOf(lake, idOf(video), asOf);
    if (found === undefined) return null;
    const entry = { key: found.key, rank: 1, score: null, velocity: null };
    return [
      videoRecord(lake, found.key, asOf),
      contentItems(lake, [entry], asOf, 'seen'),
      timeline(lake, found.key, asOf),
    ];
  });
  const creators = HANDLES.map((handle) =>
    creatorProfile(lake, { platform: 'tiktok', handle, asOf, limit: 9 }),
  );
  const searches = [...WORDS, ...HANDLES, 'ramen cat', '"cat dance"', 'cat -snow', 'da*'].map((q) =>
    searchPage(lake, { q, limit: 9, page: 1, asOf, deadlineMs: 60_000 }, clock),
  );
  return [lists, videos, creators, searches].flat().map((answer) => JSON.stringify(answer));
};

test('what was answered as of an instant is answered for ever, byte by byte', () => {
  fc.assert(
    fc.property(
      fc.array(seenVideo, { maxLength: 14 }),
      fc.array(seenCreator, { maxLength: 6 }),
      fc.integer({ min: 1, max: 199 }),
      (videos, creators, hours) => {
        const lake = freshLake();
        const until = (seen: { hours: number }): boolean => seen.hours >= hours;
        const later = (seen: { hours: number }): boolean => !until(seen);
        loadSeen(lake, { videos: videos.filter(until), creators: creators.filter(until) });
        const asOf = hoursAgo(hours) + HOUR_MS / 2;
        const before = answers(lake, asOf);
        loadSeen(lake, { videos: videos.filter(later), creators: creators.filter(later) });
        expect(answers(lake, asOf)).toEqual(before);
        lake.close();
      },
    ),
    { numRuns: draws(30) },
  );
});
