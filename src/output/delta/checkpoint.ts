import { parquetMetadata, parquetReadObjects, type SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { type Action, actionOf } from './delta-actions.ts';

type Name = keyof Action;

const text = (name: string): SchemaElement => ({
  name,
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  repetition_type: 'OPTIONAL',
});
const long = (name: string): SchemaElement => ({
  name,
  type: 'INT64',
  repetition_type: 'OPTIONAL',
});
const int = (name: string): SchemaElement => ({
  name,
  type: 'INT32',
  repetition_type: 'OPTIONAL',
});
const flag = (name: string): SchemaElement => ({
  name,
  type: 'BOOLEAN',
  repetition_type: 'OPTIONAL',
});
const texts = (name: string): SchemaElement[] => [
  { name, repetition_type: 'OPTIONAL', converted_type: 'MAP', num_children: 1 },
  { name: 'key_value', repetition_type: 'REPEATED', num_children: 2 },
  { ...text('key'), repetition_type: 'REQUIRED' },
  text('value'),
];
const list = (name: string): SchemaElement[] => [
  { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  text('element'),
];
const group = (name: string, fields: readonly SchemaElement[][]): SchemaElement[] => [
  { name, repetition_type: 'OPTIONAL', num_children: fields.length },
  ...fields.flat(),
];

/** Columns of a checkpoint: a group per action, with the field names of the protocol. */
const GROUPS: Record<Name, SchemaElement[]> = {
  txn: group('txn', [[text('appId')], [long('version')], [long('lastUpdated')]]),
  add: group('add', [
    [text('path')],
    texts('partitionValues'),
    [long('size')],
    [long('modificationTime')],
    [flag('dataChange')],
    [text('stats')],
  ]),
  remove: group('remove', [
    [text('path')],
    [long('deletionTimestamp')],
    [flag('dataChange')],
    [flag('extendedFileMetadata')],
    texts('partitionValues'),
    [long('size')],
  ]),
  metaData: group('metaData', [
    [text('id')],
    [text('name')],
    group('format', [[text('provider')], texts('options')]),
    [text('schemaString')],
    list('partitionColumns'),
    texts('configuration'),
    [long('createdTime')],
  ]),
  protocol: group('protocol', [[int('minReaderVersion')], [int('minWriterVersion')]]),
};
const NAMES = Object.keys(GROUPS) as Name[];
const SCHEMA: SchemaElement[] = [
  { name: 'checkpoint', num_children: NAMES.length },
  ...Object.values(GROUPS).flat(),
];

const LONGS = new Set(['version', 'lastUpdated', 'size', 'modificationTime', 'deletionTimestamp']);
LONGS.add('createdTime');

/** Converts 64-bit fields to BigInt for the writer, and missing values to null. */
const stored = (value: object | null | undefined): object | null =>
  value === null || value === undefined
    ? null
    : Object.fromEntries(
        Object.entries(value).map(([name, field]) => [
          name,
          LONGS.has(name) && typeof field === 'number' ? BigInt(field) : field,
        ]),
      );

/** Converts 64-bit fields back to numbers, and missing values to null. */
const restored = (value: unknown): unknown => {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(restored);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, restored(field ?? null)]),
  );
};

/** A checkpoint's rows and unpacked bytes, which are read as a whole. */
const MOST_ROWS = 1_000_000;
const MOST_BYTES = 512 << 20;

/** A checkpoint: the state of a table as one Parquet file, an action a row. */
export const checkpointOf = async (actions: readonly Action[]): Promise<Uint8Array> => {
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({ writer, schema: SCHEMA, createdBy: 'trendlake' });
  await parquet.write({
    columnData: NAMES.map((name) => ({ name, data: actions.map((row) => stored(row[name])) })),
  });
  await parquet.finish();
  return writer.getBytes();
};

/**
 * The actions of a checkpoint.
 * @throws the reader's error for a damaged one
 */
export const actionsOfCheckpoint = async (bytes: Uint8Array): Promise<Action[]> => {
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const metadata = parquetMetadata(file as ArrayBuffer);
  const rows = Number(metadata.num_rows);
  const unpacked = metadata.row_groups.reduce(
    (sum, { total_byte_size }) => sum + Number(total_byte_size),
    0,
  );
  if (rows > MOST_ROWS || unpacked > MOST_BYTES)
    throw new Error(
      `it has ${rows} rows in ${unpacked} bytes, expected at most ${MOST_ROWS} in ${MOST_BYTES}`,
    );
  const read = await parquetReadObjects({ file: file as ArrayBuffer, metadata });
  return read.map((row) => actionOf(restored(row)));
};
