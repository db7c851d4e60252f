import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type AsyncBuffer, type FileMetaData, parquetRead } from 'hyparquet';
import type PQueue from 'p-queue';
import type { ParquetCodec } from '../../base/config/parquet-codecs.ts';
import { DAY_MS } from '../../base/durations.ts';
import { fullDiskOf, messageOf } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { PageCompressor } from '../parquet/codec.ts';
import type { ParquetColumn, ParquetType } from '../parquet/parquet-tables.ts';
import { ParquetWriter } from '../parquet/write-parquet.ts';
import { TablesError } from './errors.ts';
import { fileColumns, type TableColumn } from './file-columns.ts';
import { footerOf } from './local-file.ts';
import type { FileSource } from './published-file.ts';
import type { OpenFile } from './table-store.ts';

/** Column of published files with the UTC day of each row. */
export const DATE_COLUMN: TableColumn = { name: 'date', type: 'date' };

const TYPES: Partial<Record<TableColumn['type'], ParquetType>> = {
  long: 'INT64',
  timestamp: 'TIMESTAMP_MILLIS',
  double: 'DOUBLE',
  string: 'UTF8',
};
/** Decoders of pages. The reader has its own for snappy. */
const compressors = {
  ZSTD: (bytes: Uint8Array): Uint8Array => zstdDecompressSync(bytes),
  GZIP: (bytes: Uint8Array): Uint8Array => gunzipSync(bytes),
};
const ROWS_AT_ONCE = 1024;

/** The columns of an exported file, then `date`. */
const columnsOf = (path: string, footer: FileMetaData): ParquetColumn[] => {
  const columns = fileColumns(path, footer).map(({ name, type }, index): ParquetColumn => {
    const parquetType = TYPES[type];
    if (parquetType === undefined)
      throw new TablesError(
        `${path} holds the column ${name} of type ${type}, which no export writes. Nothing was published of it; please report this.`,
      );
    const optional = footer.schema[index + 1]?.repetition_type !== 'REQUIRED';
    return { name, type: parquetType, optional };
  });
  return [...columns, { name: DATE_COLUMN.name, type: 'DATE', optional: false }];
};

const millisecondsOf = (micros: bigint): number => Number(micros) / 1000;

const bufferOf = ({ handle, bytes }: OpenFile): AsyncBuffer => ({
  byteLength: bytes,
  slice: async (start, end = bytes) => {
    const buffer = Buffer.from(new ArrayBuffer(end - start));
    await handle.read(buffer, 0, buffer.length, start);
    return buffer.buffer as ArrayBuffer;
  },
});

type Column = ArrayLike<unknown>;

/** The columns of one row group. */
const columnsBetween = async (
  file: OpenFile,
  metadata: FileMetaData,
  rowStart: number,
  rowEnd: number,
): Promise<Column[]> => {
  const parts = new Map<string, Column[]>();
  await parquetRead({
    file: bufferOf(file),
    metadata,
    rowStart,
    rowEnd,
    compressors,
    parsers: { timestampFromMilliseconds: Number, timestampFromMicroseconds: millisecondsOf },
    onChunk: ({ columnName, columnData }) => {
      parts.set(columnName, [...(parts.get(columnName) ?? []), columnData]);
    },
  });
  return metadata.schema.slice(1).map(({ name }) => {
    const [first = [], ...more] = parts.get(name) ?? [];
    return more.length === 0 ? first : [first, ...more].flatMap((part) => Array.from(part));
  });
};

const plainValue = (value: unknown): unknown =>
  typeof value === 'bigint' ? Number(value) : (value ?? null);

/** Rows of a file in chunks, as arrays of numbers, texts and nulls, with `day` at the end. */
async function* rowsOf(
  file: OpenFile,
  metadata: FileMetaData,
  day: number,
): AsyncGenerator<unknown[][]> {
  let groupEnd = 0;
  for (const { num_rows } of metadata.row_groups) {
    const groupStart = groupEnd;
    groupEnd += Number(num_rows);
    const columns = await columnsBetween(file, metadata, groupStart, groupEnd);
    for (let from = 0; from < groupEnd - groupStart; from += ROWS_AT_ONCE) {
      const length = Math.min(ROWS_AT_ONCE, groupEnd - groupStart - from);
      yield Array.from({ length }, (_, n) => [
        ...columns.map((column) => plainValue(column[from + n])),
        day,
      ]);
    }
  }
}

const namesOf = (columns: readonly ParquetColumn[]): string =>
  columns.map(({ name, type }) => `${name} ${type}`).join(', ');

const addDay = async (
  writer: ParquetWriter,
  columns: readonly ParquetColumn[],
  file: OpenFile,
  source: FileSource,
): Promise<void> => {
  const footer = await footerOf(file);
  const [expected, found] = [namesOf(columns), namesOf(columnsOf(file.path, footer))];
  if (found !== expected)
    throw new TablesError(
      `${file.path} has the columns ${found}; files of the same month have ${expected}. Nothing was published of it: \`${commandText('export --full')}\` writes every file again.`,
    );
  const day = Date.parse(`${source.date}T00:00:00Z`) / DAY_MS;
  for await (const rows of rowsOf(file, footer, day)) {
    writer.add(rows);
    if (writer.isFull) await writer.closeGroup();
  }
};

/** Destination of files that are built to be published. */
export interface BuildPlace {
  /** Folder with room for all files that are uploaded at once. */
  readonly folder: string;
  /** Limits concurrent builds, as each holds rows in memory. */
  readonly builds: PQueue;
  readonly codec: ParquetCodec;
}

/**
 * Runs `work` on a file without a name. The system removes it however the process ends.
 * @throws TablesError, transient on a full disk
 */
const withUnnamedFile = async <T>(
  folder: string,
  fill: (write: (bytes: Buffer) => void) => Promise<void>,
  work: (open: OpenFile) => Promise<T>,
): Promise<T> => {
  const path = join(folder, `publishing-${randomBytes(12).toString('hex')}`);
  const handle = await open(path, 'wx+', 0o600);
  try {
    await rm(path);
    let bytes = 0;
    const write = (chunk: Buffer): void => {
      for (let done = 0; done < chunk.length; )
        done += writeSync(handle.fd, chunk, done, chunk.length - done);
      bytes += chunk.length;
    };
    await fill(write).catch((error: unknown) => {
      const full = fullDiskOf(error);
      if (full === undefined) throw error;
      throw new TablesError(
        `${folder} has no room for a file to publish: ${messageOf(error)}. Nothing was published of it. Make room and publish again.`,
        { cause: error, transient: true },
      );
    });
    return await work({ handle, path, bytes });
  } finally {
    await handle.close();
  }
};

/**
 * Builds a file with the rows of exported days, in order, and the column `date`, then runs `work` on
 * it. Equal days give equal bytes.
 * @throws ReplacedFileError if an export replaced a day's file
 */
export const withDatedFile = async <T>(
  [first, ...more]: readonly [FileSource, ...FileSource[]],
  { folder, codec, builds }: BuildPlace,
  work: (open: OpenFile) => Promise<T>,
): Promise<T> => {
  const columns = await first.withFile(async (file) => columnsOf(file.path, await footerOf(file)));
  const writer = new ParquetWriter(columns, new PageCompressor(codec));
  const fill = async (write: (bytes: Buffer) => void): Promise<void> => {
    writer.begin(write);
    for (const source of [first, ...more])
      await source.withFile((file) => addDay(writer, columns, file, source));
    await writer.end();
  };
  return await withUnnamedFile(folder, (write) => builds.add(() => fill(write)), work);
};
