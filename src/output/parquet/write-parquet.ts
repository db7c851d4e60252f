import type { RowGroup } from 'hyparquet';
import type { PageCompressor } from './codec.ts';
import { ColumnChunk, type EncodedChunk } from './column-chunk.ts';
import {
  type ChunkCodec,
  footer,
  type LocatedChunk,
  pageHeader,
  rowGroup,
} from './footer-metadata.ts';
import type { ParquetColumn } from './parquet-tables.ts';

const CHUNK_ROWS = 1024;
const GROUP_ROWS = 131_072;
const GROUP_BYTES = 8 << 20;
const MAGIC = Buffer.from('PAR1');

/** Receives the bytes of a file in order. Throws if they cannot be written. */
export type WriteBytes = (bytes: Buffer) => void;

/** A page with its header, and their length without compression. */
interface FinishedPage {
  readonly bytes: Buffer;
  readonly plainBytes: number;
}

const finishPage = async (
  page: Parameters<typeof pageHeader>[0],
  plain: Buffer,
  compressor: PageCompressor | undefined,
): Promise<FinishedPage> => {
  const body = compressor === undefined ? plain : await compressor.compress(plain);
  const header = pageHeader(page, plain.length, body.length);
  return { bytes: Buffer.concat([header, body]), plainBytes: header.length + plain.length };
};

interface FinishedChunk {
  readonly chunk: EncodedChunk;
  readonly codec: ChunkCodec;
  readonly dictionary: FinishedPage | undefined;
  readonly data: FinishedPage;
}

/** Shorter chunks would grow when compressed. */
const LEAST_COMPRESSED = 64;

const finishChunk = async (chunk: EncodedChunk, shared: PageCompressor): Promise<FinishedChunk> => {
  const { coding, rows, dictionary, data } = chunk;
  const bytes = data.length + (dictionary?.body.length ?? 0);
  const compressor = bytes < LEAST_COMPRESSED ? undefined : shared;
  const [list, finished] = await Promise.all([
    dictionary &&
      finishPage(
        { kind: 'dictionary', values: dictionary.values, coding },
        dictionary.body,
        compressor,
      ),
    finishPage({ kind: 'data', values: rows, coding }, data, compressor),
  ]);
  return { chunk, codec: compressor?.codec ?? 'none', dictionary: list, data: finished };
};

/** A file that is being written. */
interface GrowingFile {
  readonly put: WriteBytes;
  offset: number;
  rows: number;
  readonly groups: RowGroup[];
  /** The previous row group, which is being compressed and written. */
  writing: Promise<void>;
}

/**
 * Writes Parquet files of one table, one after another, and reuses memory. Holds at most two row groups:
 * one is filled while the previous one is compressed in other threads.
 */
export class ParquetWriter {
  readonly #columns: readonly ParquetColumn[];
  readonly #compressor: PageCompressor;
  readonly #chunks: readonly ColumnChunk[];
  #file: GrowingFile | undefined;
  #groupRows = 0;

  /** @param compressor may be shared with other writers */
  constructor(columns: readonly ParquetColumn[], compressor: PageCompressor) {
    this.#columns = columns;
    this.#compressor = compressor;
    this.#chunks = columns.map((column) => new ColumnChunk(column, compressor.codec));
  }

  /**
   * Writes one file with `rows`, each an array in the order of the columns.
   * @param onChunk called every thousand rows or so; may throw to stop
   * @returns rows written
   * @throws the errors of `write`; LakeError for a value that its column's type cannot hold. Do not use
   * the writer after that
   */
  async write(
    rows: Iterable<readonly unknown[]>,
    write: WriteBytes,
    onChunk: () => void = () => {},
  ): Promise<number> {
    this.begin(write);
    let chunk: (readonly unknown[])[] = [];
    for (const row of rows) {
      if (chunk.push(row) < CHUNK_ROWS) continue;
      this.add(chunk);
      chunk = [];
      onChunk();
      if (this.isFull) await this.closeGroup();
    }
    this.add(chunk);
    onChunk();
    return await this.end();
  }

  /**
   * Begins a file of about `rows` rows, if known. `end` ends it.
   * @throws the errors of `write`, as the methods below
   */
  begin(write: WriteBytes, rows = 0): void {
    for (const chunk of this.#chunks) chunk.reserve(Math.min(rows, GROUP_ROWS + CHUNK_ROWS));
    const file: GrowingFile = {
      put: (bytes) => {
        write(bytes);
        file.offset += bytes.length;
      },
      offset: 0,
      rows: 0,
      groups: [],
      writing: Promise.resolve(),
    };
    this.#file = file;
    file.put(MAGIC);
  }

  /** Adds rows to the open row group. Call `closeGroup` when it `isFull`. */
  add(rows: readonly (readonly unknown[])[]): void {
    this.#chunks.forEach((column, index) => {
      column.append(rows, index);
    });
    this.#groupRows += rows.length;
  }

  get isFull(): boolean {
    const bytes = this.#chunks.reduce((sum, { plainBytes }) => sum + plainBytes, 0);
    return this.#groupRows >= GROUP_ROWS || bytes >= GROUP_BYTES;
  }

  /** Starts writing the row group. Resolves when the previous one is written. */
  async closeGroup(): Promise<void> {
    const file = this.#openFile();
    if (this.#groupRows === 0) return;
    file.rows += this.#groupRows;
    this.#groupRows = 0;
    const encoded = this.#chunks.map((chunk) => chunk.take());
    const finishing = Promise.all(encoded.map((chunk) => finishChunk(chunk, this.#compressor)));
    await file.writing;
    file.writing = finishing.then((chunks) => {
      file.groups.push(this.#putGroup(chunks, file));
    });
    file.writing.catch(() => {}); // handled where it is awaited
  }

  /** Ends the file. @returns its number of rows */
  async end(): Promise<number> {
    await this.closeGroup();
    const file = this.#openFile();
    await file.writing;
    file.put(Buffer.concat([footer(this.#columns, file.rows, file.groups), MAGIC]));
    this.#file = undefined;
    return file.rows;
  }

  #openFile(): GrowingFile {
    if (this.#file === undefined) throw new Error('No Parquet file was begun.');
    return this.#file;
  }

  #putGroup(chunks: readonly FinishedChunk[], file: GrowingFile): RowGroup {
    const located = chunks.map(({ chunk, codec, dictionary, data }): LocatedChunk => {
      const at = file.offset;
      if (dictionary !== undefined) file.put(dictionary.bytes);
      const dataAt = file.offset;
      file.put(data.bytes);
      return {
        chunk,
        codec,
        dictionaryAt: dictionary === undefined ? undefined : at,
        dataAt,
        bytes: file.offset - at,
        plainBytes: (dictionary?.plainBytes ?? 0) + data.plainBytes,
      };
    });
    return rowGroup(located);
  }
}
