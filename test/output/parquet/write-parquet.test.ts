import { zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { expect, test } from 'vitest';
import type { ParquetCodec } from '../../../src/base/config/parquet-codecs.ts';
import { LakeError } from '../../../src/base/errors.ts';
import { PageCompressor } from '../../../src/output/parquet/codec.ts';
import type { ParquetColumn } from '../../../src/output/parquet/parquet-tables.ts';
import { ParquetWriter } from '../../../src/output/parquet/write-parquet.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { draws } from '../../support/draws.ts';

const COLUMNS: readonly ParquetColumn[] = [
  { name: 'key', type: 'INT64', optional: false },
  { name: 'count', type: 'INT64', optional: true },
  { name: 'rate', type: 'DOUBLE', optional: true },
  { name: 'words', type: 'UTF8', optional: true },
];
type Row = [number, number | null, number | null, string | null];

const written = async (
  rows: Iterable<readonly unknown[]>,
  codec: ParquetCodec = 'zstd',
): Promise<ArrayBuffer> => {
  const parts: Buffer[] = [];
  await new ParquetWriter(COLUMNS, new PageCompressor(codec)).write(rows, (bytes) =>
    parts.push(bytes),
  );
  return new Uint8Array(Buffer.concat(parts)).buffer;
};

const readBack = async (file: ArrayBuffer): Promise<unknown[][]> => {
  const objects = await parquetReadObjects({
    file,
    compressors: { ZSTD: (input) => zstdDecompressSync(input) },
  });
  return objects.map(({ key, count, rate, words }) => [
    Number(key),
    count === null ? null : Number(count),
    rate,
    words,
  ]);
};

test('any rows read back as they were', async () => {
  const integer = fc.maxSafeInteger();
  const row: fc.Arbitrary<Row> = fc.tuple(
    integer,
    fc.option(integer),
    fc.option(fc.double({ noNaN: true })),
    fc.option(fc.string({ unit: anyCharacter })),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 60 }), async (rows) => {
      expect(await readBack(await written(rows))).toEqual(rows);
    }),
    { seed: 11, numRuns: draws(150) },
  );
});

test('many pages and row groups, with nulls in runs and strewn about', async () => {
  const rowAt = (i: number): Row => [
    i,
    i % 7 === 0 ? null : i * 1_000_003,
    i % 50_000 < 20_000 ? null : i / 3,
    i % 3 === 0 ? null : `title 😀 ${i % 1000}`,
  ];
  const rows = Array.from({ length: 300_001 }, (_, i) => rowAt(i));
  const file = await written(rows);
  const groups = parquetMetadata(file).row_groups;
  expect(groups.length).toBe(3);
  const [first] = groups.map(({ columns }) => columns.map((c) => c.meta_data?.statistics));
  expect(first?.map((statistics) => statistics?.null_count)).toEqual([
    0n,
    18_725n,
    60_000n,
    43_691n,
  ]);
  expect(first?.[0]).toMatchObject({ min_value: 0n, max_value: 131_071n });
  expect(first?.[3]).toMatchObject({
    min_value: 'title 😀 0',
    max_value: 'title 😀 999',
    is_max_value_exact: true,
  });
  const read = await readBack(file);
  expect(read.length).toBe(rows.length);
  expect(read.findIndex((row, i) => row.some((value, c) => value !== rows[i]?.[c]))).toBe(-1);
});

test('what a type cannot hold exactly stops the file', async () => {
  await expect(written([[2 ** 53, null, null, null]])).rejects.toThrow(LakeError);
  await expect(written([[null, null, null, null]])).rejects.toThrow(/Column key holds null/);
  await expect(written([[1, 0.5, null, null]])).rejects.toThrow(/Column count holds 0.5/);
  await expect(written([[1, 1, null, 7]])).rejects.toThrow(/Column words holds 7/);
});
