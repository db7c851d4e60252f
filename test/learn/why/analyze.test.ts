import { describe, expect, test } from 'vitest';
import { realPath } from '../../../fixtures/real-data.ts';
import { sourceCode } from '../../../schema/vocabulary.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import { isoOf } from '../../../src/base/iso.ts';
import { type Analysis, analysisResponse } from '../../../src/base/wire/analysis-shapes.ts';
import { storeAnalysis } from '../../../src/ingest/writers/analyses.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { analyzeVideo } from '../../../src/learn/why/analyze.ts';
import { emptyLake, insertVideos } from '../../lake/lake-fixture.ts';
import { insertRealVideos } from '../../lake/real-lake.ts';
import { NOW, plantedLake, plantedVideos } from './lab-lake.ts';

const analyze = async (lake: Lake, id: string, asOf = NOW): Promise<Analysis> => {
  const analysis = await analyzeVideo(lake, { id, asOf }, { clock: virtualClock(NOW) });
  return analysisResponse.parse(analysis);
};
const factorOf = ({ why }: Analysis, factor: string): Analysis['why'][number] => {
  const found = why.find((candidate) => candidate.factor === factor);
  if (found === undefined) throw new Error(`no factor ${factor} among ${why.map((w) => w.factor)}`);
  return found;
};

describe('evidence', () => {
  test('each factor carries its numbers, its group size and its interval, strongest first', async () => {
    const analysis = await analyze(plantedLake(), 'tt_300');
    expect(analysis).toMatchObject({
      id: 'tt_300',
      platform: 'tiktok',
      method: 'statistical',
      generatedAt: isoOf(NOW),
    });
    const strengths = analysis.why.map(({ strength }) => strength);
    expect(strengths).toEqual([...strengths].sort((a, b) => b - a));
    expect(analysis.why.length).toBeGreaterThan(6);
    for (const { finding, evidence } of analysis.why) {
      expect(evidence).toMatchObject({
        groupSize: expect.any(Number),
        smallGroup: expect.any(Boolean),
        direction: expect.stringMatching(/^(for|against|unclear)$/),
      });
      expect(finding).toMatch(/\d/);
      expect(finding.includes('only a hint')).toBe(evidence.smallGroup);
    }
  });

  test('the rank on the platform is the true one', async () => {
    const lake = plantedLake();
    const { evidence } = factorOf(await analyze(lake, 'tt_300'), 'platform');
    const { below, others } = lake.sqlite
      .prepare(
        `with last as (select video_key, max(views) as views from video_snapshot group by 1)
        select avg(views < (select views from last where video_key = 301)) as below, count(*) as others
        from last where video_key <> 301`,
      )
      .get() as { below: number; others: number };
    expect(evidence).toMatchObject({ groupSize: others, sampled: false });
    expect(evidence.shareBelow).toBeCloseTo(below, 2);
  });

  test("the creator's own median, and a small group stated plainly", async () => {
    const lake = emptyLake();
    const at = NOW - DAY_MS;
    const views = [100, 200, 300, 400, 500, 600, 700, 6000];
    insertVideos(
      lake,
      views.map((count, i) => ({
        id: `yt_${i}`,
        platform: 'youtube',
        user: ['Éva', '@éva', 'E\u0301VA'][i % 3] ?? null, // one creator, however it is written
        createdAt: at,
        snapshots: [[at, count]],
      })),
    );
    const { finding, evidence, strength } = factorOf(await analyze(lake, 'yt_7'), 'creator-median');
    expect(evidence).toMatchObject({ groupSize: 7, groupMedian: 400, ratio: 15, smallGroup: true });
    expect(finding).toContain('15 times the median views of 7 other videos');
    expect(finding).toContain('The group is small (7)');
    expect(strength).toBeGreaterThan(0.8);
  });

  test('what was planted is found, what was not is not', async () => {
    const lake = plantedLake();
    const analysis = await analyze(lake, 'tt_300'); // asks a question, has an emoji
    expect(factorOf(analysis, 'title-question').strength).toBeGreaterThan(0.15);
    expect(factorOf(analysis, 'title-question').evidence.direction).toBe('for');
    expect(factorOf(analysis, 'title-emoji').strength).toBe(0);
    expect(factorOf(analysis, 'weekday').strength).toBe(0);
    expect(analysis.recipe.hook).toMatch(/^Ask a question/);
    expect(analysis.recipe.caption).not.toContain('emoji');
  });

  test('a hashtag that came up around publishing', async () => {
    const analysis = await analyze(plantedLake(), 'tt_96'); // four days old, tagged `rising`
    const { evidence, finding } = factorOf(analysis, 'hashtag-rise');
    expect(finding).toContain('#rising');
    expect(evidence.direction).toBe('for');
    expect(evidence.tags).toHaveLength(2);
  });

  test('a video below the others is said to be', async () => {
    const lake = plantedLake();
    insertVideos(lake, [
      { id: 'tt_low', createdAt: NOW - 9 * DAY_MS, snapshots: [[NOW - DAY_MS, 12]] },
    ]);
    const { summary, why } = await analyze(lake, 'tt_low');
    expect(summary).toContain('not viral');
    expect(why[0]?.evidence.direction).toBe('against');
  });

  test('a count that a list carried on unchanged does not make its growth flat', async () => {
    const lake = plantedLake();
    const snapshots = [400, 4000, 9000, 9000].map(
      (views, i) => [NOW - (12 - 4 * i) * HOUR_MS, views] as const,
    );
    insertVideos(lake, [{ id: 'tt_new', createdAt: NOW - DAY_MS, snapshots }]);
    const finding = async () => factorOf(await analyze(lake, 'tt_new'), 'growth').finding;
    expect(await finding()).toContain('(4 snapshots)');
    const carriedOn = 'update video_snapshot set source = ? where observed_at = ? and views = 9000';
    lake.sqlite.prepare(carriedOn).run(sourceCode('feed'), NOW);
    expect(await finding()).toMatch(/^Its growth is (rising|peaking): .*\(3 snapshots\)/);
  });

  test('the summary says which factors speak for the video and which against it', async () => {
    const { summary } = await analyze(plantedLake(), 'tt_40'); // below the others, its tag rising
    expect(summary).toMatch(
      /evidence for it: hashtag-rise \(0\.\d\d\)\. .*evidence against it: platform \(0\.\d\d\), creator-median \(0/,
    );
  });
});

describe('hashtags of the recipe', () => {
  const recipeTags = async (subjectTags: string[]): Promise<readonly string[]> => {
    const lake = emptyLake();
    const languages = [
      { words: 'recette facile pour le poulet', tags: ['cooking', 'recette'] },
      { words: 'resep masakan ayam yang enak', tags: ['cooking', 'resep'] },
    ];
    const videos = Array.from({ length: 400 }, (_, i) => {
      const other = { words: 'dance', tags: [] };
      const { words, tags } = i < 180 ? (languages[i % 2] ?? other) : other;
      const createdAt = NOW - DAY_MS - i * HOUR_MS;
      // those of every fifth video of either language are seen most
      const views = i % 10 < 2 ? 100_000 + i : 1000 + i;
      const facts = { createdAt, firstSeenAt: createdAt, user: `cook${i % 80}` };
      const loved = tags[1] === 'resep' ? 'enak' : 'miam';
      const extra = i < 180 && i % 10 < 2 ? [...tags, loved] : tags;
      return { id: `tt_${i}`, title: words, ...facts, tags: ['fyp', ...extra], views };
    });
    insertVideos(
      lake,
      [{ ...videos[0], id: 'tt_subject', tags: subjectTags, views: 5000 }, ...videos].map(
        ({ views = 0, ...video }) => ({
          ...video,
          id: video.id ?? '',
          snapshots: [[NOW - HOUR_MS, views]],
        }),
      ),
    );
    return (await analyze(lake, 'tt_subject')).recipe.hashtags;
  };

  test('are of the language of the video', async () => {
    const tags = await recipeTags(['cooking', 'recette']);
    expect(tags).toContain('miam');
    expect(tags).not.toContain('enak');
    expect(tags).not.toContain('resep');
  });

  test('leave out generic ones', async () => {
    expect(await recipeTags(['cooking', 'fyp'])).not.toContain('fyp');
  });
});

describe('as of an instant', () => {
  test('later data changes nothing', async () => {
    const asOf = NOW - 10 * DAY_MS;
    const before = plantedVideos(700).filter((video) => (video.firstSeenAt ?? 0) <= asOf);
    const then = emptyLake();
    insertVideos(
      then,
      before.map((video) => ({
        ...video,
        snapshots: video.snapshots?.filter(([at]) => at <= asOf) ?? [],
      })),
    );
    const now = emptyLake();
    insertVideos(now, [
      ...before,
      ...plantedVideos(700).filter((video) => (video.firstSeenAt ?? 0) > asOf),
    ]);
    expect(await analyze(now, 'tt_400', asOf)).toEqual(await analyze(then, 'tt_400', asOf));
  });

  test('a video first seen later is not there', async () => {
    const ask = { id: 'tt_0', asOf: NOW - 20 * DAY_MS };
    const deps = { clock: virtualClock(NOW) };
    expect(await analyzeVideo(plantedLake(), ask, deps)).toBeUndefined();
    expect(await analyzeVideo(emptyLake(), { id: 'tt_none', asOf: NOW }, deps)).toBeUndefined();
  });
});

describe('little evidence', () => {
  test.each([
    ['no counts at all', { id: 'tt_1' }],
    ['only zeros', { id: 'tt_1', createdAt: NOW, snapshots: [[NOW, 0]] as [number, number][] }],
    [
      'one snapshot, alone in the lake',
      { id: 'tt_1', snapshots: [[NOW, 5]] as [number, number][] },
    ],
    ['no title, no creator', { id: 'tt_1', title: null, user: null, createdAt: NOW - HOUR_MS }],
    ['an odd title', { id: 'tt_1', title: '\u0000"<>%s{}\ud800', tags: ['', 'a'.repeat(300)] }],
  ])('%s', async (_, video) => {
    const lake = emptyLake();
    insertVideos(lake, [video]);
    const { recipe, summary } = await analyze(lake, 'tt_1');
    expect(summary).not.toBe('');
    expect(recipe.steps.length).toBeGreaterThan(0);
  });
});

test('the same analysis stored twice is one row', async () => {
  const lake = plantedLake(50);
  const analysis = await analyze(lake, 'tt_3');
  storeAnalysis(lake, analysis);
  storeAnalysis(lake, analysis);
  const rows = lake.sqlite.prepare('select * from analyses').all() as { result: string }[];
  expect(rows).toMatchObject([{ video_id: 'tt_3', generated_at: NOW, method: 'statistical' }]);
  expect(JSON.parse(rows[0]?.result ?? '')).toEqual(analysis);
});

test.skipIf(realPath === undefined)(
  'real videos: every response has the agreed shape',
  async () => {
    const lake = emptyLake();
    const videos = insertRealVideos(lake, ['yt-hourly-kr', 'tt-vn-food', 'ig-search', 'ig-hourly']);
    const asOf = Date.UTC(2026, 7, 20);
    for (let i = 0; i < videos.length; i += 271) {
      const { why } = await analyze(lake, (videos[i] as { id: string }).id, asOf);
      expect(why.every(({ strength }) => Number.isFinite(strength))).toBe(true);
    }
  },
);
