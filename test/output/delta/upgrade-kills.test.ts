import { expect, test } from 'vitest';
import { FileStore } from '../../../src/output/delta/file-store.ts';
import { dyingStore } from './dying-store.ts';
import { APRIL, earlierTable, rowsNow } from './earlier-table.ts';
import { publish } from './publishing.ts';

test.each(['before', 'after'] as const)(
  'an upgrade killed %s any of its operations is ended by the next publish',
  async (moment) => {
    const { folder, lakes, rows } = await earlierTable();
    for (let at = 0, isOver = false; !isOver; at += 1) {
      const { store } = dyingStore(new FileStore(folder), at, moment);
      isOver = await publish(lakes.berlin, folder, 'berlin', { ...APRIL, store }).then(
        () => true,
        () => false,
      );
      expect((await rowsNow(folder)).rows).toEqual(rows);
    }
    expect((await rowsNow(folder)).table.partitionColumns).toEqual(['lake']);
  },
);
