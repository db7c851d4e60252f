import type { ParquetCodec } from '../../base/config/parquet-codecs.ts';
import { LakeError } from '../../base/errors.ts';
import { ByteSink } from './byte-sink.ts';
import { chooseCoding, packingFor, widthOf } from './coding-choice.ts';
import { deltaBinaryPacked, WIDEST_RANGE } from './delta-binary-packed.ts';
import type { ParquetColumn } from './parquet-tables.ts';
import { rleHybrid } from './rle-hybrid.ts';
import { TextValues } from './text-values.ts';
import {
  type Bounds,
  type Coding,
  type Dictionary,
  roomForKinds,
  tooMany,
  type ValuePart,
  type Values,
} from './values.ts';

/** A column of a row group, encoded but not compressed. */
export interface EncodedChunk {
  readonly column: ParquetColumn;
  readonly coding: Coding;
  readonly rows: number;
  readonly nulls: number;
  readonly bounds: Bounds | undefined;
  /** Distinct values, if the data page has their indexes. */
  readonly dictionary: { readonly body: Buffer; readonly values: number } | undefined;
  readonly data: Buffer;
}

/** Numbers of a column; integers of 64 bits, or of 32 for days. */
type NumberKind = 'integers' | 'days' | 'doubles';

/** Integers, days or doubles of a column. */
class NumberValues implements Values {
  readonly #kind: NumberKind;
  readonly #integers: boolean;
  #numbers = new Float64Array(256);
  #count = 0;
  #least = Number.POSITIVE_INFINITY;
  #greatest = Number.NEGATIVE_INFINITY;

  constructor(kind: NumberKind) {
    this.#kind = kind;
    this.#integers = kind !== 'doubles';
  }

  get count(): number {
    return this.#count;
  }

  get plainBytes(): number {
    return this.#count * (this.#kind === 'days' ? 4 : 8);
  }

  get codings(): readonly Coding[] {
    const close = this.#greatest - this.#least < WIDEST_RANGE;
    return this.#integers && close ? ['DELTA_BINARY_PACKED', 'PLAIN'] : ['PLAIN'];
  }

  add(value: unknown): boolean {
    if (typeof value !== 'number') return false;
    if (this.#integers ? !Number.isSafeInteger(value) : Number.isNaN(value)) return false;
    if (this.#count === this.#numbers.length) this.reserve(this.#count * 2);
    this.#numbers[this.#count++] = value;
    if (value < this.#least) this.#least = value;
    if (value > this.#greatest) this.#greatest = value;
    return true;
  }

  reserve(values: number): void {
    if (values <= this.#numbers.length) return;
    const grown = new Float64Array(values);
    grown.set(this.#numbers.subarray(0, this.#count));
    this.#numbers = grown;
  }

  clear(): void {
    this.#count = 0;
    this.#least = Number.POSITIVE_INFINITY;
    this.#greatest = Number.NEGATIVE_INFINITY;
  }

  encode(coding: Coding, part: ValuePart, into: ByteSink): void {
    if (coding === 'DELTA_BINARY_PACKED')
      deltaBinaryPacked(this.#numbers, part, part.packing, into);
    else for (let i = part.start; i < part.end; i++) this.encodeOne(i, into);
  }

  encodeOne(position: number, into: ByteSink): void {
    const value = this.#numbers[position] ?? 0;
    if (this.#kind === 'days') into.shortInteger(value);
    else if (this.#integers) into.integer(value);
    else into.double(value);
  }

  dictionary(): Dictionary | undefined {
    const kinds = roomForKinds(this.#count);
    const known = new Map<number, number>();
    const firsts: number[] = [];
    for (let i = 0; i < this.#count; i++) {
      const value = this.#numbers[i] ?? 0;
      if (Object.is(value, -0)) return undefined; // a Map takes it for 0
      const kind = known.get(value) ?? firsts.length;
      if (kind === firsts.length) {
        known.set(value, kind);
        firsts.push(i);
        if (tooMany(kind, i)) return undefined;
      }
      kinds[i] = kind;
    }
    return { firsts, kinds };
  }

  bounds(): Bounds | undefined {
    if (this.#count === 0) return undefined;
    const [least, greatest] = [this.#least, this.#greatest];
    if (this.#integers) return { least, greatest };
    // 0 and -0 are equal, and both inside
    return { least: least === 0 ? -0 : least, greatest: greatest === 0 ? 0 : greatest };
  }
}

const valuesOf = ({ type }: ParquetColumn): Values => {
  if (type === 'UTF8') return new TextValues();
  if (type === 'DATE') return new NumberValues('days');
  return new NumberValues(type === 'DOUBLE' ? 'doubles' : 'integers');
};

/** Buffer of a chunk, copied for compression. */
const sink = new ByteSink();

/** Collects the values of a column of a row group. `take` empties it for reuse. */
export class ColumnChunk {
  readonly #column: ParquetColumn;
  readonly #codec: ParquetCodec;
  readonly #values: Values;
  /** 0 where a row holds null, else 1; as long as the last null asked for. */
  #present = new Uint8Array(0);
  #rows = 0;

  constructor(column: ParquetColumn, codec: ParquetCodec) {
    this.#column = column;
    this.#codec = codec;
    this.#values = valuesOf(column);
  }

  /** Bytes without any coding. */
  get plainBytes(): number {
    return this.#values.plainBytes;
  }

  /** Reserves memory for this many rows. */
  reserve(rows: number): void {
    this.#values.reserve(rows);
  }

  /** Appends the values at `index` of `rows`. @throws LakeError for a value the type cannot hold */
  append(rows: readonly (readonly unknown[])[], index: number): void {
    const values = this.#values;
    for (const row of rows) {
      const value = row[index];
      if (value === null) this.#noteNull();
      else if (!values.add(value)) throw this.#misfit(value);
      this.#rows += 1;
    }
  }

  /** The next row holds null. */
  #noteNull(): void {
    if (!this.#column.optional) throw this.#misfit(null);
    this.#reservePresent(this.#rows + 1);
    this.#present[this.#rows] = 0;
  }

  /** The chunk in its shortest coding. */
  take(): EncodedChunk {
    const values = this.#values;
    const packing = packingFor(values.count, this.#codec);
    const { coding, dictionary } = chooseCoding(values, packing);
    let list: EncodedChunk['dictionary'];
    if (dictionary !== undefined) {
      sink.clear();
      for (const first of dictionary.firsts) values.encodeOne(first, sink);
      list = { body: Buffer.from(sink.view()), values: dictionary.firsts.length };
    }
    sink.clear();
    if (this.#column.optional) this.#putLevels();
    if (dictionary === undefined)
      values.encode(coding, { start: 0, end: values.count, packing }, sink);
    else {
      const width = widthOf(dictionary.firsts.length, packing);
      sink.byte(width);
      rleHybrid(dictionary.kinds, { start: 0, end: values.count }, width, sink);
    }
    const encoded: EncodedChunk = {
      column: this.#column,
      coding,
      rows: this.#rows,
      nulls: this.#rows - values.count,
      bounds: values.bounds(),
      dictionary: list,
      data: Buffer.from(sink.view()),
    };
    if (encoded.nulls > 0) this.#present.fill(1, 0, this.#rows);
    values.clear();
    this.#rows = 0;
    return encoded;
  }

  /** Writes the definition levels (which rows have a value) after their length. */
  #putLevels(): void {
    const levels = new ByteSink(64);
    if (this.#values.count < this.#rows) {
      this.#reservePresent(this.#rows);
      rleHybrid(this.#present, { start: 0, end: this.#rows }, 1, levels);
    } else if (this.#rows > 0) {
      levels.varint(this.#rows * 2); // one run
      levels.byte(1);
    }
    sink.word(levels.length);
    sink.append(levels.view(), 0, levels.length);
  }

  #reservePresent(rows: number): void {
    if (rows <= this.#present.length) return;
    const grown = new Uint8Array(Math.max(this.#present.length * 2, rows, 1024)).fill(1);
    grown.set(this.#present);
    this.#present = grown;
  }

  #misfit(value: unknown): LakeError {
    const { name, type, optional } = this.#column;
    return new LakeError(
      `Column ${name} holds ${value === null ? 'null' : `${JSON.stringify(value)} (${typeof value})`}, which Parquet's ${optional ? '' : 'required '}${type} cannot state exactly. The file was not written; please report this.`,
    );
  }
}
