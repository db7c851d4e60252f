import { expect, test } from 'vitest';
import type { ForecastState } from '../../src/learn/forecast/state.ts';
import { forecastStateLines } from '../../src/serve/pages/forecast-words.ts';
import { calibrationChart } from '../../src/serve/pages/forecasts-page.ts';

const volumes = (platform: ForecastState['platform'], finished: number): ForecastState => ({
  platform,
  kind: 'hashtag.hashtags.30d',
  state: 'silent',
  counts: 'days',
  finished,
  lacking: 56 - finished,
  withheld: [],
  learntAt: null,
  reason: null,
  recent: null,
});

test('a line that holds for the platform and for all platforms is shown once', () => {
  const [own] = forecastStateLines([volumes('tiktok', 12), volumes('', 12)]);
  expect(forecastStateLines([volumes('tiktok', 12), volumes('', 12)])).toHaveLength(1);
  expect(own).toMatch(/^hashtag volumes.*needs 56 days, has 12$/);
  expect(forecastStateLines([volumes('tiktok', 12), volumes('', 13)])[1]).toMatch(
    /^all platforms, .*has 13$/,
  );
});

test('the calibration is drawn as dots over the diagonal, with the numbers in words', async () => {
  const drawn = String(
    await calibrationChart([
      { stated: 0.1, came: 0.2, judged: 400 },
      { stated: 0.9, came: 0.5, judged: 100 },
    ]),
  );
  expect(drawn).toContain('10 % forecast, 20 % came; 90 % forecast, 50 % came');
  expect(drawn).toContain('<circle cx="30.0" cy="240.0" r="16.0">');
  expect(drawn).toContain('<circle cx="270.0" cy="150.0" r="10.0">');
});
