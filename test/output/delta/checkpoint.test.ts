import { expect, test } from 'vitest';
import { actionsOfCheckpoint, checkpointOf } from '../../../src/output/delta/checkpoint.ts';
import type { Action } from '../../../src/output/delta/delta-actions.ts';

const fileOf = (lake: string, n: number): Action => {
  const path = `lake=${lake}/date=2026-03-01/${n.toString(16).padStart(64, '0')}.parquet`;
  const partitionValues = { lake, date: '2026-03-01' };
  if (n % 10 === 0)
    return { remove: { path, deletionTimestamp: 1 + n, dataChange: false, partitionValues } };
  const sizes = { size: 2 ** 40 + n, modificationTime: 1_700_000_000_000 };
  return { add: { path, partitionValues, ...sizes, dataChange: false, stats: '{"numRecords":1}' } };
};

test('a checkpoint holds every action, in order', async () => {
  const actions: Action[] = [
    { protocol: { minReaderVersion: 1, minWriterVersion: 2 } },
    { txn: { appId: 'trendlake:b', version: 7, lastUpdated: 8 } },
    ...['a', 'b'].flatMap((lake) => Array.from({ length: 3000 }, (_, n) => fileOf(lake, n))),
  ];
  const read = await actionsOfCheckpoint(await checkpointOf(actions));
  expect(read).toHaveLength(actions.length);
  for (const [n, { add, remove, protocol, txn }] of actions.entries()) {
    if (protocol) expect(read[n]?.protocol).toEqual(protocol);
    if (txn) expect(read[n]?.txn).toEqual(txn);
    if (add) expect(read[n]?.add).toEqual(add);
    if (remove) expect(read[n]?.remove).toMatchObject(remove);
  }
});
