import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contentItem } from '../../../src/base/wire/shapes.ts';
import { openLakeForReading } from '../../../src/lake/open.ts';
import { readContentItems } from '../../../src/lake/read/content-items.ts';
import { filler, fillLake, freshFolder, hoursAgo, NOW } from '../../serve/filled-lake.ts';
import { draws } from '../../support/draws.ts';
import { openTestLake } from '../../support/test-lake.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const SHOWN = ['id', 'rank', 'views', 'title', 'velocity', 'hashtags'];
const further = fc.dictionary(
  fc.oneof(text, fc.constantFrom(...SHOWN, '__proto__', '7', 'constructor')),
  fc.jsonValue({ maxDepth: 2 }),
  { maxKeys: 4 },
);
const count = fc.option(fc.nat(2 ** 40));
const video = fc.record({
  title: fc.option(text),
  user: fc.option(text),
  createdAt: fc.option(fc.integer({ min: 0, max: NOW })),
  tags: fc.uniqueArray(text, { maxLength: 3, selector: (tag) => tag.toLowerCase() }),
  extra: fc.option(further, { nil: undefined }),
  views: count,
  likes: count,
});
const real = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }));

test('the text of items is what their objects would be written as', () => {
  fc.assert(
    fc.property(fc.array(video, { maxLength: 5 }), real, real, (videos, score, velocity) => {
      const { dataDir, remove } = freshFolder();
      const writer = openTestLake(dataDir);
      const into = filler(writer);
      const keys = videos.map(({ extra, views, likes, ...words }, index) =>
        into.video({
          ...words,
          ...(extra === undefined ? {} : { extra }),
          id: `tt_${index}`,
          snapshots: [[hoursAgo(1), views, likes]],
        }),
      );
      const entries = keys.map((key, index) => ({ key, rank: index + 1, score, velocity }));
      for (const counts of ['known', 'seen'] as const) {
        const read = readContentItems(writer, entries, NOW, counts);
        expect(JSON.stringify(JSON.parse(read.text()))).toBe(JSON.stringify(read.objects()));
      }
      writer.close();
      remove();
    }),
    { numRuns: draws(40) },
  );
});

test('a further field named as a shown one never takes its place', () => {
  const { dataDir, remove } = freshFolder();
  const shown = Object.keys(contentItem.shape);
  fillLake(dataDir, (into) => {
    for (const name of shown)
      into.video({ id: `tt_${name}`, extra: { [name]: 'further' }, snapshots: [[NOW, 3, 1]] });
  });
  const lake = openLakeForReading(dataDir);
  const entries = shown.map((_, index) => ({ key: index + 1, rank: 1, score: 1, velocity: null }));
  const read = readContentItems(lake, entries, NOW, 'known');
  expect(read.text()).toBe(JSON.stringify(read.objects()));
  expect(read.text()).not.toContain('further');
  lake.close();
  remove();
});

test('where nothing is odd it is the same text, byte by byte', () => {
  const { dataDir, remove } = freshFolder();
  fillLake(dataDir, (into) => {
    into.video({
      id: 'tt_1',
      tags: ['a', 'ü'],
      extra: { durationSec: 31 },
      snapshots: [[NOW, 3, 1]],
    });
    into.video({ id: 'ig_2', title: null, user: null, createdAt: null, snapshots: [[NOW, null]] });
  });
  const lake = openLakeForReading(dataDir);
  const entries = [1, 2].map((key) => ({ key, rank: key, score: 1 / 3, velocity: null }));
  const read = readContentItems(lake, entries, NOW, 'known');
  expect(read.text()).toBe(JSON.stringify(read.objects()));
  lake.close();
  remove();
});
