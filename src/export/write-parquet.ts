import type { Struct } from 'parquetjs-lite/gen-nodejs/parquet_types.js';
import type { ParquetCodec } from '../parquet-codecs.ts';
import { compressPage } from './codec.ts';
import { ColumnChunk, type EncodedChunk } from './column-chunk.ts';
import { footer, type LocatedChunk, pageHeader, rowGroup } from './footer-metadata.ts';
import type { ParquetColumn } from './parquet-tables.ts';

const CHUNK_ROWS = 1024;
const GROUP_ROWS = 131_072;
const GROUP_BYTES = 8 << 20;
const MAGIC = Buffer.from('PAR1');

/** Where the bytes of a file go, in order. Throws when they cannot be kept. */
export type WriteBytes = (bytes: Buffer) => void;

/** A page behind its header, and how long the two are when nothing is compressed. */
interface FinishedPage {
  readonly bytes: Buffer;
  readonly plainBytes: number;
}

const finishPage = async (
  page: Parameters<typeof pageHeader>[0],
  plain: Buffer,
  codec: ParquetCodec,
): Promise<FinishedPage> => {
  const body = await compressPage(codec, plain);
  const header = pageHeader(page, plain.length, body.length);
  return { bytes: Buffer.concat([header, body]), plainBytes: header.length + plain.length };
};

interface FinishedChunk {
  readonly chunk: EncodedChunk;
  readonly dictionary: FinishedPage | undefined;
  readonly data: FinishedPage;
}

const finishChunk = async (chunk: EncodedChunk, codec: ParquetCodec): Promise<FinishedChunk> => {
  const { coding, rows, dictionary, data } = chunk;
  const [list, finished] = await Promise.all([
    dictionary &&
      finishPage({ kind: 'dictionary', values: dictionary.values, coding }, dictionary.body, codec),
    finishPage({ kind: 'data', values: rows, coding }, data, codec),
  ]);
  return { chunk, dictionary: list, data: finished };
};

/**
 * Writes Parquet files of one table, one after another, with room that is used again. Holds at most
 * two row groups in memory: one gathered while the one before is compressed in other threads.
 */
export class ParquetWriter {
  readonly #columns: readonly ParquetColumn[];
  readonly #codec: ParquetCodec;
  readonly #chunks: readonly ColumnChunk[];

  constructor(columns: readonly ParquetColumn[], codec: ParquetCodec) {
    this.#columns = columns;
    this.#codec = codec;
    this.#chunks = columns.map((column) => new ColumnChunk(column, codec));
  }

  /**
   * Writes one file: `rows`, each an array in the order of the columns, as given and in their order.
   * @param onChunk called every thousand rows or so; may throw to stop
   * @returns rows written
   * @throws whatever `write` throws; LakeError for a value that its column's type cannot hold. The
   * writer is of no use after that
   */
  async write(
    rows: Iterable<readonly unknown[]>,
    write: WriteBytes,
    onChunk: () => void = () => {},
  ): Promise<number> {
    const file = { offset: 0, groups: [] as Struct[] };
    const put = (bytes: Buffer): void => {
      write(bytes);
      file.offset += bytes.length;
    };
    let total = 0;
    let groupRows = 0;
    let writing: Promise<void> | undefined;
    const closeGroup = async (): Promise<void> => {
      const encoded = this.#chunks.map((chunk) => chunk.take());
      groupRows = 0;
      const finishing = Promise.all(encoded.map((chunk) => finishChunk(chunk, this.#codec)));
      await writing;
      writing = finishing.then((chunks) => {
        file.groups.push(this.#putGroup(chunks, file, put));
      });
      writing.catch(() => {}); // met again where it is awaited
    };

    put(MAGIC);
    let chunk: (readonly unknown[])[] = [];
    const closeChunk = (): void => {
      this.#chunks.forEach((column, index) => {
        column.append(chunk, index);
      });
      groupRows += chunk.length;
      total += chunk.length;
      chunk = [];
      onChunk();
    };
    for (const row of rows) {
      if (chunk.push(row) < CHUNK_ROWS) continue;
      closeChunk();
      const bytes = this.#chunks.reduce((sum, { plainBytes }) => sum + plainBytes, 0);
      if (groupRows >= GROUP_ROWS || bytes >= GROUP_BYTES) await closeGroup();
    }
    closeChunk();
    if (groupRows > 0) await closeGroup();
    await writing;
    const end = footer(this.#columns, total, file.groups);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(end.length);
    put(Buffer.concat([end, length, MAGIC]));
    return total;
  }

  #putGroup(
    chunks: readonly FinishedChunk[],
    file: { readonly offset: number },
    put: WriteBytes,
  ): Struct {
    const placed = chunks.map(({ chunk, dictionary, data }): LocatedChunk => {
      const at = file.offset;
      if (dictionary !== undefined) put(dictionary.bytes);
      const dataAt = file.offset;
      put(data.bytes);
      return {
        chunk,
        dictionaryAt: dictionary === undefined ? undefined : at,
        dataAt,
        bytes: file.offset - at,
        plainBytes: (dictionary?.plainBytes ?? 0) + data.plainBytes,
      };
    });
    return rowGroup(placed, this.#codec);
  }
}
