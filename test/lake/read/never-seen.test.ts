import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LakeReader, openLake } from '../../../src/public/lake.ts';
import { freshFolder } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';

// A file of videos alone says that they are, not when anybody saw them.

let dataDir: string;
let lake: LakeReader;

const lines = (...rows: unknown[]): string => rows.map((row) => JSON.stringify(row)).join('\n');

beforeAll(async () => {
  const folder = freshFolder();
  dataDir = freshFolder();
  const platform = 'tiktok';
  writeFileSync(
    join(folder, 'videos.ndjson'),
    lines(
      { id: 'tt_1', platform, title: 'knitting a boat', user: 'ada', lang: 'en' },
      { id: 'tt_2', platform, title: 'a boat, seen', user: 'bob' },
    ),
  );
  writeFileSync(
    join(folder, 'snapshots.ndjson'),
    lines({ id: 'tt_2', at: '2020-03-01T00:00:00Z', views: 5 }),
  );
  await runCommand(['import', folder], { dataDir });
  lake = openLake(dataDir);
});
afterAll(() => lake.close());

test.each([
  ['now', {}],
  ['as of any instant', { asOf: '2020-01-01T00:00:00Z' }],
])('an imported video without a snapshot is found by its id, %s', (_, options) => {
  const video = { id: 'tt_1', title: 'knitting a boat', user: 'ada', views: null, lang: 'en' };
  expect(lake.video('tt_1', options)).toMatchObject(video);
  expect(lake.growth('tt_1', options)).toMatchObject({ snapshots: [], curve: { points: [] } });
  expect(lake.creator('tiktok', 'ada', options)?.videos).toMatchObject([video]);
});

test('a search finds it at every instant, and what was seen later only later', () => {
  const found = (options = {}) =>
    lake
      .search('boat', options)
      .items.map(({ id }) => id)
      .sort();
  expect(found()).toEqual(['tt_1', 'tt_2']);
  expect(found({ asOf: '2020-01-01T00:00:00Z' })).toEqual(['tt_1']);
  expect(lake.video('tt_2', { asOf: '2020-01-01T00:00:00Z' })).toBeUndefined();
});

test('it can be asked why it went viral', async () => {
  const { code, out } = await runCommand(['analyze', 'tt_1', '--json'], { dataDir });
  expect([code, JSON.parse(out)]).toMatchObject([0, { id: 'tt_1', method: 'statistical' }]);
});
