import { expect, test } from 'vitest';
import type { WhyFactor } from '../../src/base/wire/analysis-shapes.ts';
import { whySentences } from '../../src/serve/pages/why-sentences.ts';

const factor = (name: string, strength: number, evidence: object, finding = ''): WhyFactor => ({
  factor: name,
  finding,
  strength,
  evidence: { direction: 'for', ...evidence },
});

test('the three strongest findings become sentences, views compared once', () => {
  const sentences = whySentences([
    factor('platform', 0.9, { shareBelow: 0.97 }),
    factor('age-cohort', 0.8, { shareBelow: 0.999 }),
    factor('creator-median', 0.7, { ratio: 3.14 }),
    factor(
      'title-question',
      0.6,
      { withIt: { successes: 12, trials: 60 }, without: { successes: 10, trials: 100 } },
      'It asks a question. 20 % of 60 such videos reach the top 10 % by views.',
    ),
    factor('engagement', 0.5, { shareBelow: 0.8 }),
  ]);
  expect(sentences).toEqual([
    'It has more views than nearly all videos published around the same time.',
    'It has 3.1 times the views that its creator’s videos usually have.',
    'It asks a question, and 20 % of such videos reach the top 10 % instead of 10 %.',
  ]);
});

test('findings against a video are shown, weak ones are not', () => {
  expect(
    whySentences([
      factor('platform', 0.9, { shareBelow: 0.1, direction: 'against' }),
      factor('growth', 0.05, { viewsPerHour: 12 }),
    ]),
  ).toEqual(['It has fewer views than 90 % of videos of its platform.']);
});
