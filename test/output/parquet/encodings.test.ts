import fc from 'fast-check';
import { parquetMetadata, parquetReadObjects, type Statistics } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { describe, expect, test } from 'vitest';
import { PARQUET_CODECS, type ParquetCodec } from '../../../src/base/config/parquet-codecs.ts';
import { PageCompressor } from '../../../src/output/parquet/codec.ts';
import type { ParquetColumn } from '../../../src/output/parquet/parquet-tables.ts';
import { ParquetWriter } from '../../../src/output/parquet/write-parquet.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { draws } from '../../support/draws.ts';

const column = (type: ParquetColumn['type']): ParquetColumn => ({
  name: 'value',
  type,
  optional: true,
});

/** One column's values written, the codings its file names, and the values read back. */
const roundTrip = async (
  type: ParquetColumn['type'],
  values: readonly unknown[],
  codec: ParquetCodec = 'zstd',
) => {
  const parts: Buffer[] = [];
  const rows = values.map((value) => [value]);
  await new ParquetWriter([column(type)], new PageCompressor(codec)).write(rows, (bytes) =>
    parts.push(bytes),
  );
  const file = new Uint8Array(Buffer.concat(parts)).buffer;
  const read = await parquetReadObjects({ file, compressors });
  const chunks = parquetMetadata(file).row_groups.map(({ columns: [chunk] }) => chunk?.meta_data);
  return {
    codings: chunks[0]?.encodings ?? [],
    codecs: [...new Set(chunks.map((chunk) => chunk?.codec))],
    bytes: file.byteLength,
    read: read.map(({ value }) => (typeof value === 'bigint' ? Number(value) : value)),
  };
};
const many = <T>(value: (i: number) => T, count = 5000): T[] =>
  Array.from({ length: count }, (_, i) => value(i));
/** Numbers in [0, 1) without a pattern, the same in every run. */
const hash = (i: number): number => {
  let mixed = Math.imul(i + 1, 2_654_435_761);
  for (const prime of [2_246_822_519, 3_266_489_917])
    mixed = Math.imul(mixed ^ (mixed >>> 15), prime);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
};

describe('the coding suits the values, and they come back', () => {
  test.each<[string, ParquetColumn['type'], unknown[], string]>([
    [
      'rising integers',
      'INT64',
      many((i) => 1e12 + i * 1000 + Math.floor(hash(i) * 900)),
      'DELTA_BINARY_PACKED',
    ],
    ['falling integers below 0', 'INT64', many((i) => -1 - i * 3), 'DELTA_BINARY_PACKED'],
    [
      'the widest integers',
      'INT64',
      many((i) => (i % 2 === 0 ? 1 : -1) * (Number.MAX_SAFE_INTEGER - i)),
      'PLAIN',
    ],
    [
      'few great integers',
      'INT64',
      many((i) => Math.floor(hash(Math.floor(hash(i) * 40)) * 2 ** 52)),
      'RLE_DICTIONARY',
    ],
    ['few doubles', 'DOUBLE', many((i) => Math.floor(hash(i) * 40) / 7), 'RLE_DICTIONARY'],
    ['doubles, 0 of either sign', 'DOUBLE', many((i) => (i % 2 === 0 ? -0 : 0)), 'PLAIN'],
    ['few words', 'UTF8', many((i) => `word ${Math.floor(hash(i) * 90)} 😀`), 'RLE_DICTIONARY'],
    [
      'sorted names',
      'UTF8',
      many((i) => `tt_${7_000_000_000 + i * 7919 + Math.floor(hash(i) * 7000)}`),
      'DELTA_BYTE_ARRAY',
    ],
    ['one text', 'UTF8', many(() => 'the same'), 'RLE_DICTIONARY'],
    ['nothing but nulls', 'UTF8', many(() => null), 'PLAIN'],
  ])('%s', async (_, type, values, coding) => {
    const { codings, read } = await roundTrip(type, values);
    expect(codings).toContain(coding);
    expect(read.findIndex((value, i) => !Object.is(value ?? null, values[i]))).toBe(-1);
  });

  test.each(PARQUET_CODECS)('differences and kinds as %s has them packed', async (codec) => {
    const far = (i: number): number => (i === 2000 ? 2 ** 51 : 0); // one difference beyond all others
    const times = many((i) => 1.7e12 + (i % 4) * 21_600_000 + Math.floor(hash(i >> 2) * 1e9));
    const numbers = times.map((time, i) => time + far(i));
    for (const values of [times, numbers, times.map((_, i) => (i * 7919) % 300)])
      expect((await roundTrip('INT64', values, codec)).read).toEqual(values);
    const texts = many((i) => `tt_${Math.floor(hash(i >> 1) * 1e9)}`).sort();
    expect((await roundTrip('UTF8', texts, codec)).read).toEqual(texts);
  });

  test.each(PARQUET_CODECS)('few bytes stand as they are, more by %s', async (codec) => {
    for (const values of [many((i) => i % 2, 40), many(() => null), [], [1.5]]) {
      const few = await roundTrip('DOUBLE', values, codec);
      expect(few.read).toEqual(values);
      expect(few.codecs).toEqual(values.length === 0 ? [] : ['UNCOMPRESSED']);
    }
    const more = await roundTrip('DOUBLE', many(hash, 40), codec);
    expect(more.read).toEqual(many(hash, 40));
    expect(more.codecs).toEqual([codec.toUpperCase()]);
  });

  test('differences that repeat take few bytes, whatever lies between', async () => {
    // of each video a time without a pattern, then three that follow every six hours
    const times = many(
      (i) => 1.7e12 + Math.floor(hash(i >> 2) * 86_400) * 1000 + (i % 4) * 21_600_000,
      20_000,
    );
    expect((await roundTrip('INT64', times)).bytes / times.length).toBeLessThan(1.3);
  });

  test('any runs of integers, whatever their lengths and widths', async () => {
    const run = fc.tuple(fc.maxSafeInteger(), fc.nat(30), fc.nat(300));
    await fc.assert(
      fc.asyncProperty(fc.array(run, { minLength: 1, maxLength: 12 }), async (runs) => {
        const values = runs.flatMap(([from, step, length]) =>
          many((i) => Math.max(-Number.MAX_SAFE_INTEGER, from - i * 2 ** step), length),
        );
        expect((await roundTrip('INT64', values)).read).toEqual(values);
      }),
      { seed: 12, numRuns: draws(60) },
    );
  });
});

/** Bounds that a file states for a text. */
const boundsOf = async (value: string): Promise<Statistics> => {
  const parts: Buffer[] = [];
  const writer = new ParquetWriter([column('UTF8')], new PageCompressor('snappy'));
  await writer.write([[value]], (bytes) => parts.push(bytes));
  const { row_groups } = parquetMetadata(new Uint8Array(Buffer.concat(parts)).buffer);
  return row_groups[0]?.columns[0]?.meta_data?.statistics ?? {};
};

test('bounds of a text enclose it, are short, and equal it if possible', async () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(text, async (value) => {
      const bytes = Buffer.from(value);
      const { min_value, max_value, ...isExact } = await boundsOf(value);
      const [least, greatest] = [Buffer.from(`${min_value}`), Buffer.from(`${max_value}`)];
      expect(Buffer.compare(least, bytes)).toBeLessThanOrEqual(0);
      expect(least.length).toBeLessThanOrEqual(64);
      expect(Buffer.compare(greatest, bytes)).toBeGreaterThanOrEqual(0);
      expect(greatest.length).toBeLessThanOrEqual(64);
      const isShort = bytes.length <= 64;
      expect(isExact).toMatchObject({ is_min_value_exact: isShort, is_max_value_exact: isShort });
      if (isShort) expect([least, greatest]).toEqual([bytes, bytes]);
    }),
    { seed: 13, numRuns: draws(500) },
  );
  expect(await boundsOf('\u{10ffff}'.repeat(20))).toMatchObject({
    max_value: '\u{10ffff}'.repeat(20), // no shorter text comes after it
  });
  expect(await boundsOf(`${'a'.repeat(62)}\ud7ff${'z'.repeat(9)}`)).toMatchObject({
    max_value: `${'a'.repeat(61)}b`,
  });
});
