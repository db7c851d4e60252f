import { expect, test } from 'vitest';
import { withoutSync } from '../../src/lake/durability.ts';
import { openLake } from '../../src/lake/open.ts';
import { freshFolder } from '../support/fresh.ts';

const FULL = 2;

test('a commit that does not wait leaves the next one waiting for the disk, whatever became of it', () => {
  const lake = openLake(freshFolder());
  const level = (): unknown => lake.sqlite.pragma('synchronous', { simple: true });
  const note = lake.sqlite.prepare("insert into meta (key, value) values (?, '')");
  const work = (fails: boolean) =>
    withoutSync(lake, () =>
      lake.sqlite
        .transaction(() => {
          note.run(String(fails));
          if (fails) throw new Error('refused');
          return level();
        })
        .immediate(),
    );
  expect(work(false)).toBe(1);
  expect(level()).toBe(FULL);
  expect(() => work(true)).toThrow('refused');
  expect(level()).toBe(FULL);
  const within = lake.sqlite.transaction(() => withoutSync(lake, level));
  expect(within()).toBe(FULL);
  lake.sqlite.pragma('synchronous = OFF'); // as tests and demos set it
  expect(withoutSync(lake, level)).toBe(0);
  expect(lake.sqlite.prepare('select key from meta').pluck().all()).toContain('false');
  lake.close();
});
