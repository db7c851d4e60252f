import { parquetMetadata, parquetReadObjects, type RowGroup, type SchemaElement } from 'hyparquet';
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

/** The columns of a checkpoint: one group an action, its fields under the protocol's names. */
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

/** 64-bit fields as the writer wants them; what is missing as null. */
const stored = (value: object | null | undefined): object | null =>
  value === null || value === undefined
    ? null
    : Object.fromEntries(
        Object.entries(value).map(([name, field]) => [
          name,
          LONGS.has(name) && typeof field === 'number' ? BigInt(field) : field,
        ]),
      );

/** 64-bit fields as numbers again, fields without a value left out. */
const restored = (value: unknown): unknown => {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(restored);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, restored(field ?? null)]),
  );
};

/** Bytes of a path that a row group's bounds hold; the name of a lake fits. */
const LONGEST_BOUND = 128;
/** A reader holds one group at a time. */
const ROWS_A_GROUP = 2000;

const pathOf = ({ add, remove }: Action): string | undefined => (add ?? remove)?.path;

/** A checkpoint's bytes and what its note says of them. */
export interface Checkpoint {
  readonly bytes: Uint8Array;
  readonly actions: number;
  readonly files: number;
}

/**
 * A checkpoint: the state of a table as one Parquet file. What is of no file (`general`) stands in the
 * first row group, files in the order of their paths, as `files` gives them, in those behind it, so
 * that who wants one lake's files reads few of them. One group of rows is held at a time.
 */
export const checkpointOf = async (
  general: readonly Action[],
  files: AsyncIterable<Action>,
): Promise<Checkpoint> => {
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({
    writer,
    schema: SCHEMA,
    statisticsTruncateLength: LONGEST_BOUND,
    createdBy: 'trendlake',
  });
  const write = (rows: readonly Action[]): void | Promise<void> =>
    parquet.write({
      columnData: NAMES.map((name) => ({ name, data: rows.map((row) => stored(row[name])) })),
      rowGroupSize: Math.max(1, rows.length),
    });
  const counts = { actions: general.length, files: 0 };
  await write(general);
  let rows: Action[] = [];
  for await (const file of files) {
    counts.actions += 1;
    if (file.add) counts.files += 1;
    rows.push(file);
    if (rows.length < ROWS_A_GROUP) continue;
    await write(rows);
    rows = [];
  }
  if (rows.length > 0) await write(rows);
  await parquet.finish();
  return { ...counts, bytes: writer.getBytes() };
};

/**
 * The files of a checkpoint with what was committed since laid over them (`changed`, by path), in the
 * order of their paths.
 */
export async function* filesSince(
  before: AsyncIterable<readonly Action[]>,
  changed: ReadonlyMap<string, Action>,
): AsyncGenerator<Action> {
  const later = [...changed].sort(([a], [b]) => (a < b ? -1 : 1));
  let next = 0;
  for await (const actions of before) {
    for (const action of actions) {
      const path = pathOf(action);
      if (path === undefined) continue;
      for (let due = later[next]; due !== undefined && due[0] < path; due = later[next]) {
        yield due[1];
        next += 1;
      }
      if (!changed.has(path)) yield action;
    }
  }
  for (const [, one] of later.slice(next)) yield one;
}

/** True if no file of a row group is below a prefix, by the bounds of their paths. */
const isGroupElsewhere = ({ columns }: RowGroup, below: string): boolean => {
  const paths = columns.filter(({ meta_data }) => meta_data?.path_in_schema.at(-1) === 'path');
  return paths.every(({ meta_data }) => {
    const {
      null_count: nulls,
      min_value: least,
      max_value: greatest,
    } = meta_data?.statistics ?? {};
    if (nulls !== undefined && Number(nulls) === Number(meta_data?.num_values)) return true;
    if (typeof least !== 'string' || typeof greatest !== 'string') return false;
    return greatest < below || least.slice(0, below.length) > below;
  });
};

interface FileRow {
  readonly path?: unknown;
}

/** True if a row is about a file outside a prefix. */
const isElsewhere = ({ add, remove }: Record<string, FileRow | null>, below: string): boolean => {
  const path = (add ?? remove)?.path;
  return typeof path === 'string' && !path.startsWith(below);
};

/** Rows and unpacked bytes of a group, which is read as a whole. */
const MOST_GROUP_ROWS = 1_000_000;
const MOST_GROUP_BYTES = 512 << 20;

/**
 * The actions of a checkpoint, some thousands at a time; those of files that are not below `below`
 * are left out. @throws what the reader says of a damaged one
 */
export async function* actionsOfCheckpoint(
  bytes: Uint8Array,
  below: string,
): AsyncGenerator<Action[]> {
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const metadata = parquetMetadata(file as ArrayBuffer);
  let rowEnd = 0;
  for (const [index, group] of metadata.row_groups.entries()) {
    const rowStart = rowEnd;
    rowEnd += Number(group.num_rows);
    if (index > 0 && isGroupElsewhere(group, below)) continue;
    if (
      Number(group.num_rows) > MOST_GROUP_ROWS ||
      Number(group.total_byte_size) > MOST_GROUP_BYTES
    )
      throw new Error(
        `a group has ${group.num_rows} rows in ${group.total_byte_size} bytes, expected at most ${MOST_GROUP_ROWS} in ${MOST_GROUP_BYTES}`,
      );
    const read = await parquetReadObjects({
      file: file as ArrayBuffer,
      metadata,
      rowStart,
      rowEnd,
    });
    yield read.filter((row) => !isElsewhere(row, below)).map((row) => actionOf(restored(row)));
  }
}
