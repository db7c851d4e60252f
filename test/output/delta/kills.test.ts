import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FileStore } from '../../../src/output/delta/file-store.ts';
import { freshFolder } from '../../support/fresh.ts';
import { readDeltaLog } from './delta-reader.ts';
import { dyingStore } from './dying-store.ts';
import { filesBelow, lakeOfTwoExports, publish } from './publishing.ts';

/** Paths of the files that the tables show. */
const shown = async (folder: string): Promise<string[]> => {
  const tables = await Promise.all(
    ['video_snapshots', 'videos'].map((name) =>
      readDeltaLog(join(folder, name)).catch(() => undefined),
    ),
  );
  return tables.flatMap((table) => [...(table?.files.keys() ?? [])]).sort();
};

test.each(['before', 'after'] as const)(
  'killed %s any of its operations, readers see a table as before or as after, and the next publish ends it',
  async (moment) => {
    const { lake, ...exported } = await lakeOfTwoExports();
    const shownAfter = async (put: () => void): Promise<string[]> => {
      const folder = freshFolder();
      put();
      await publish(lake, folder, 'berlin');
      return shown(folder);
    };
    const before = await shownAfter(exported.before);
    const after = await shownAfter(exported.after);
    expect(after).not.toEqual(before);

    for (let at = 0, isOver = false; !isOver; at += 1) {
      const folder = freshFolder();
      exported.before();
      await publish(lake, folder, 'berlin');
      exported.after();
      const { store, operations } = dyingStore(new FileStore(folder), at, moment);
      isOver = await publish(lake, folder, 'berlin', { store }).then(
        () => true,
        () => false,
      );
      expect([before, after]).toContainEqual(await shown(folder));
      await publish(lake, folder, 'berlin');
      expect(await shown(folder)).toEqual(after);
      const still = filesBelow(folder);
      await publish(lake, folder, 'berlin');
      expect(filesBelow(folder)).toEqual(still);
      if (isOver) expect(operations()).toBeGreaterThan(20);
    }
  },
);

test('a first publish that is killed again and again is ended in the end', async () => {
  const { lake } = await lakeOfTwoExports();
  const folder = freshFolder();
  for (let at = 0, isOver = false; !isOver; at += 3) {
    const { store } = dyingStore(new FileStore(folder), at, 'after');
    isOver = await publish(lake, folder, 'berlin', { store }).then(
      () => true,
      () => false,
    );
  }
  const whole = freshFolder();
  await publish(lake, whole, 'berlin');
  expect(await shown(folder)).toEqual(await shown(whole));
});
