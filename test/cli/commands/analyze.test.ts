import { expect, test } from 'vitest';
import { virtualClock } from '../../../src/base/clock.ts';
import { analysisResponse } from '../../../src/base/wire/analysis-shapes.ts';
import { NOW, plantedLake } from '../../learn/why/lab-lake.ts';
import { runCommand } from '../../support/run-command.ts';

const clock = virtualClock(NOW);

test('--json prints one document and keeps the same in the lake', async () => {
  const lake = plantedLake(100);
  const { code, out } = await runCommand(['analyze', 'tt_3', '--json'], {
    dataDir: lake.dataDir,
    clock,
  });
  expect(code).toBe(0);
  const analysis = analysisResponse.parse(JSON.parse(out));
  const kept = lake.sqlite.prepare('select result from analyses').pluck().all() as string[];
  expect(kept.map((result) => JSON.parse(result))).toEqual([analysis]);
});

test('for people: the summary, the reasons, the recipe', async () => {
  const { dataDir } = plantedLake(100);
  const { out } = await runCommand(['analyze', 'tt_3'], { dataDir, clock });
  expect(out).toMatch(/tt_3 \(statistical\)[\s\S]*platform: With[\s\S]*Recipe:[\s\S]*1\. Watch/);
});

test('an unknown video and half a model are refused', async () => {
  const { dataDir } = plantedLake(10);
  const unknown = await runCommand(['analyze', 'tt_none'], { dataDir, clock });
  expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('No video tt_none') });
  const env = { TRENDLAKE_MODEL_NAME: 'tiny' };
  const half = await runCommand(['analyze', 'tt_3'], { dataDir, clock, env });
  expect(half).toMatchObject({ code: 2, err: expect.stringContaining('TRENDLAKE_MODEL_URL') });
});
