import { expect, test } from 'vitest';
import { contentItem } from '../../../src/base/wire/shapes.ts';
import { openLakeForReading } from '../../../src/lake/open.ts';
import { contentItems } from '../../../src/lake/read/content-items.ts';
import { fillLake, freshFolder, NOW } from '../../serve/filled-lake.ts';

test('a further field named as a shown one never takes its place', () => {
  const { dataDir, remove } = freshFolder();
  const shown = Object.keys(contentItem.shape);
  fillLake(dataDir, (into) => {
    for (const name of shown)
      into.video({ id: `tt_${name}`, extra: { [name]: 'further' }, snapshots: [[NOW, 3, 1]] });
  });
  const lake = openLakeForReading(dataDir);
  const entries = shown.map((_, index) => ({ key: index + 1, rank: 1, score: 1, velocity: null }));
  const items = contentItems(lake, entries, NOW);
  expect(items).toHaveLength(shown.length);
  expect(JSON.stringify(items)).not.toContain('further');
  lake.close();
  remove();
});
