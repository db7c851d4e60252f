import { constants, zstdCompressSync } from 'node:zlib';
import type { Page } from 'parquetjs-lite';
import thrift from 'parquetjs-lite/gen-nodejs/parquet_types.js';
import { serializeThrift } from 'parquetjs-lite/lib/util.js';
import { LakeError } from '../errors.ts';
import type { ParquetColumn } from './parquet-tables.ts';

const PAGE_BYTES = 1 << 18; // pages twice as large make files 0.3 % smaller
/** At level 6, files without dictionaries are as small as DuckDB's with them. */
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 6 } };

/** Definition levels of a page, as Parquet stores them: one run, or one bit a value. */
const definitionLevels = (present: Uint8Array, count: number, nulls: number): Buffer => {
  const varint: number[] = [];
  const groups = Math.ceil(count / 8);
  let header = nulls === 0 ? count * 2 : groups * 2 + 1;
  for (; header > 127; header = Math.floor(header / 128)) varint.push((header & 127) | 128);
  varint.push(header);
  const runs = Buffer.alloc(nulls === 0 ? 1 : groups, nulls === 0 ? 1 : 0);
  if (nulls > 0)
    for (let i = 0; i < count; i++)
      if (present[i] === 1) runs[i >> 3] = (runs[i >> 3] ?? 0) | (1 << (i & 7));
  const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(varint), runs]);
  bytes.writeUInt32LE(bytes.length - 4);
  return bytes;
};

/**
 * Gathers one column's values into compressed pages of a row group. Holds at most one page of
 * plain values and the pages already compressed.
 */
export class ColumnPages {
  readonly column: ParquetColumn;
  #pages: Page[] = [];
  #plain = Buffer.allocUnsafe(PAGE_BYTES + (1 << 16));
  #view = new DataView(this.#plain.buffer, this.#plain.byteOffset, this.#plain.length);
  #used = 0;
  #present = new Uint8Array(16_384);
  #pageRows = 0;
  #pageNulls = 0;
  #groupRows = 0;
  #nulls = 0;
  #least = Number.POSITIVE_INFINITY;
  #greatest = Number.NEGATIVE_INFINITY;
  #plainBytes = 0;
  #bytes = 0;

  constructor(column: ParquetColumn) {
    this.column = column;
  }

  /** Compressed bytes gathered for this row group. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Appends the values at `index` of `rows`. @throws LakeError for a value the type cannot hold */
  append(rows: readonly (readonly unknown[])[], index: number): void {
    this.#reservePresent(this.#pageRows + rows.length);
    const put = this.#putter();
    for (const row of rows) {
      const value = row[index];
      if (value === null) {
        if (!this.column.optional) throw this.#misfit(value);
        this.#present[this.#pageRows] = 0;
        this.#pageNulls += 1;
      } else {
        this.#present[this.#pageRows] = 1;
        put(value);
      }
      this.#pageRows += 1;
    }
    if (this.#used >= PAGE_BYTES) this.#closePage();
  }

  /** The pages of the row group and what its metadata says of them; empties itself. */
  take(): {
    pages: Page[];
    plainBytes: number;
    statistics: InstanceType<typeof thrift.Statistics>;
  } {
    this.#closePage();
    const taken = {
      pages: this.#pages,
      plainBytes: this.#plainBytes,
      statistics: new thrift.Statistics({ null_count: this.#nulls, ...this.#bounds() }),
    };
    this.#pages = [];
    this.#bytes = this.#plainBytes = this.#groupRows = this.#nulls = 0;
    this.#least = Number.POSITIVE_INFINITY;
    this.#greatest = Number.NEGATIVE_INFINITY;
    return taken;
  }

  #putter(): (value: unknown) => void {
    if (this.column.type === 'UTF8') return (value) => this.#putText(value);
    if (this.column.type === 'DOUBLE') return (value) => this.#putDouble(value);
    return (value) => this.#putInteger(value);
  }

  #putInteger(value: unknown): void {
    if (!Number.isSafeInteger(value)) throw this.#misfit(value);
    const integer = value as number;
    this.#reserve(8);
    const high = Math.floor(integer / 0x1_0000_0000);
    this.#view.setUint32(this.#used, integer - high * 0x1_0000_0000, true);
    this.#view.setInt32(this.#used + 4, high, true);
    this.#used += 8;
    if (integer < this.#least) this.#least = integer;
    if (integer > this.#greatest) this.#greatest = integer;
  }

  #putDouble(value: unknown): void {
    if (typeof value !== 'number') throw this.#misfit(value);
    this.#reserve(8);
    this.#view.setFloat64(this.#used, value, true);
    this.#used += 8;
  }

  #putText(value: unknown): void {
    if (typeof value !== 'string') throw this.#misfit(value);
    this.#reserve(4 + value.length * 3);
    const bytes = this.#plain.write(value, this.#used + 4, 'utf8');
    this.#view.setUint32(this.#used, bytes, true);
    this.#used += 4 + bytes;
  }

  #reserve(bytes: number): void {
    if (this.#used + bytes <= this.#plain.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#plain.length * 2, this.#used + bytes));
    this.#plain.copy(grown, 0, 0, this.#used);
    this.#plain = grown;
    this.#view = new DataView(grown.buffer, grown.byteOffset, grown.length);
  }

  #reservePresent(rows: number): void {
    if (rows <= this.#present.length) return;
    const grown = new Uint8Array(Math.max(this.#present.length * 2, rows));
    grown.set(this.#present);
    this.#present = grown;
  }

  #closePage(): void {
    if (this.#pageRows === 0) return;
    const values = this.#plain.subarray(0, this.#used);
    const plain = this.column.optional
      ? Buffer.concat([definitionLevels(this.#present, this.#pageRows, this.#pageNulls), values])
      : values;
    const body = zstdCompressSync(plain, ZSTD);
    const header = serializeThrift(
      new thrift.PageHeader({
        type: thrift.PageType.DATA_PAGE,
        uncompressed_page_size: plain.length,
        compressed_page_size: body.length,
        data_page_header: new thrift.DataPageHeader({
          num_values: this.#pageRows,
          encoding: thrift.Encoding.PLAIN,
          definition_level_encoding: thrift.Encoding.RLE,
          repetition_level_encoding: thrift.Encoding.RLE,
        }),
      }),
    );
    const page = Buffer.concat([header, body]);
    this.#pages.push({ page, num_values: this.#pageRows, first_row_index: this.#groupRows });
    this.#bytes += page.length;
    this.#plainBytes += header.length + plain.length;
    this.#nulls += this.#pageNulls;
    this.#groupRows += this.#pageRows;
    this.#used = this.#pageRows = this.#pageNulls = 0;
  }

  // Integers and times only: readers disagree about the order of text, and find no row whose title
  // begins with an emoji where bounds are in UTF-16 order.
  #bounds(): { min?: Buffer; max?: Buffer; min_value?: Buffer; max_value?: Buffer } {
    if (this.#least > this.#greatest) return {};
    const [min, max] = [this.#least, this.#greatest].map((bound) => {
      const bytes = Buffer.alloc(8);
      bytes.writeBigInt64LE(BigInt(bound));
      return bytes;
    }) as [Buffer, Buffer];
    return { min, max, min_value: min, max_value: max };
  }

  #misfit(value: unknown): LakeError {
    const { name, type, optional } = this.column;
    return new LakeError(
      `Column ${name} holds ${value === null ? 'null' : `${JSON.stringify(value)} (${typeof value})`}, which Parquet's ${optional ? '' : 'required '}${type} cannot state exactly. The file was not written; please report this.`,
    );
  }
}
