import fc from 'fast-check';
import thrift from 'parquetjs-lite/gen-nodejs/parquet_types.js';
import { serializeThrift } from 'parquetjs-lite/lib/util.js';
import { expect, test } from 'vitest';
import { compactThrift } from '../../../src/output/parquet/compact-thrift.ts';
import { draws } from '../../support/draws.ts';

test('a structure has the bytes that the library gives it', () => {
  const whole = fc.maxSafeNat();
  const part = fc.record({
    name: fc.string({ unit: 'binary', maxLength: 300 }),
    codings: fc.array(fc.nat(9), { maxLength: 20 }), // lists of 15 and more have their length after the header
    values: whole,
    bytes: fc.integer(),
    at: whole,
    dictionaryAt: fc.option(whole, { nil: undefined }),
  });
  const utc = new thrift.TimestampType({
    isAdjustedToUTC: true,
    unit: new thrift.TimeUnit({ MILLIS: new thrift.MilliSeconds() }),
  });
  const local = new thrift.TimestampType({
    isAdjustedToUTC: false,
    unit: new thrift.TimeUnit({ MILLIS: new thrift.MilliSeconds() }),
  });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
      const chunks = parts.map(({ name, codings, values, bytes, at, dictionaryAt }) => {
        const data = { encoding: 1, definition_level_encoding: 2, repetition_level_encoding: 3 };
        const statistics = new thrift.DataPageHeader({ num_values: bytes, ...data });
        const meta_data = new thrift.ColumnMetaData({
          type: 2,
          encodings: codings,
          path_in_schema: [name],
          codec: 6,
          num_values: values,
          total_uncompressed_size: values,
          total_compressed_size: at,
          data_page_offset: at,
          dictionary_page_offset: dictionaryAt,
          statistics,
        });
        return new thrift.ColumnChunk({ file_offset: at, meta_data });
      });
      const file = new thrift.FileMetaData({
        version: 2,
        schema: [utc, local].map(
          (TIMESTAMP) =>
            new thrift.SchemaElement({
              name: 'at',
              num_children: parts.length,
              logicalType: new thrift.LogicalType({ TIMESTAMP }),
            }),
        ),
        num_rows: parts.length,
        row_groups: [
          new thrift.RowGroup({ columns: chunks, num_rows: 1, total_byte_size: parts.length }),
        ],
        created_by: 'a test',
        column_orders: [],
      });
      expect(compactThrift(file)).toEqual(serializeThrift(file));
    }),
    { seed: 3, numRuns: draws(60) },
  );
});
