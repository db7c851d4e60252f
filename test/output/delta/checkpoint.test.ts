import { expect, test } from 'vitest';
import {
  actionsOfCheckpoint,
  checkpointOf,
  filesSince,
} from '../../../src/output/delta/checkpoint.ts';
import type { Action } from '../../../src/output/delta/delta-actions.ts';

const FILES = 1700; // of each lake, so that row groups hold one lake or the end of it and the next

const fileOf = (lake: string, n: number): Action => {
  const path = `lake=${lake}/date=2026-03-01/${n.toString(16).padStart(64, '0')}.parquet`;
  const partitionValues = { lake, date: '2026-03-01' };
  if (n % 10 === 0)
    return { remove: { path, deletionTimestamp: 1 + n, dataChange: false, partitionValues } };
  const sizes = { size: 2 ** 40 + n, modificationTime: 1_700_000_000_000 };
  return { add: { path, partitionValues, ...sizes, dataChange: false, stats: '{"numRecords":1}' } };
};
const GENERAL: Action[] = [
  { protocol: { minReaderVersion: 1, minWriterVersion: 2 } },
  { txn: { appId: 'trendlake:b', version: 7, lastUpdated: 8 } },
];
const LAKES = ['a', 'b', 'b-2', 'c'];
async function* nothing(): AsyncGenerator<Action[]> {}
const byPath = (actions: readonly Action[]): Map<string, Action> =>
  new Map(actions.map((one) => [(one.add ?? one.remove)?.path ?? '', one]));
const filesOf = (lake: string): Action[] =>
  Array.from({ length: FILES }, (_, n) => fileOf(lake, n));
const { bytes } = await checkpointOf(
  GENERAL,
  filesSince(nothing(), byPath(LAKES.toReversed().flatMap(filesOf))),
);

const read = async (below: string): Promise<Action[]> => {
  const actions: Action[] = [];
  for await (const some of actionsOfCheckpoint(bytes, below)) actions.push(...some);
  return actions.map(
    (one) =>
      Object.fromEntries(Object.entries(one).filter(([, value]) => value !== null)) as Action,
  );
};

test.each(LAKES)('gives the files of lake %s, and what is of no file', async (lake) => {
  const [protocol, txn, ...files] = await read(`lake=${lake}/`);
  expect([protocol, txn]).toEqual(GENERAL);
  expect(files).toEqual(
    Array.from({ length: FILES }, (_, n) =>
      fileOf(lake, n).add
        ? fileOf(lake, n)
        : { remove: expect.objectContaining(fileOf(lake, n).remove ?? {}) },
    ),
  );
});

test('gives all where no lake is asked for, and nothing of one that is not there', async () => {
  expect(await read('')).toHaveLength(GENERAL.length + LAKES.length * FILES);
  expect(await read('lake=bb/')).toEqual(GENERAL);
});

test('lays what was committed since over the checkpoint before, each path once and in order', async () => {
  const added = fileOf('b', FILES + 1);
  const [dropped, kept] = [fileOf('b', 11), fileOf('c', 12)];
  const path = dropped.add?.path ?? '';
  const removed = { remove: { path, deletionTimestamp: 9, dataChange: false } };
  const changed = byPath([removed, added, fileOf('0', 1), fileOf('d', 1)]);
  const all: Action[] = [];
  for await (const one of filesSince(actionsOfCheckpoint(bytes, ''), changed)) all.push(one);
  const paths = all.map((one) => (one.add ?? one.remove)?.path ?? '');
  expect(paths).toEqual([...new Set(paths)].sort());
  expect(paths).toHaveLength(LAKES.length * FILES + 3);
  const after = byPath(all);
  expect(after.get(path)).toEqual(removed);
  expect(after.get(kept.add?.path ?? '')?.add).toEqual(kept.add);
  expect(paths.at(0)).toMatch(/^lake=0\//);
  expect(paths.at(-1)).toMatch(/^lake=d\//);
});
