import { LakeError } from '../errors.ts';
import { ByteSink } from './byte-sink.ts';
import { chooseCoding, widthOf } from './coding-choice.ts';
import { NumberValues } from './number-values.ts';
import type { ParquetColumn } from './parquet-tables.ts';
import { rleHybrid } from './rle-hybrid.ts';
import { TextValues } from './text-values.ts';
import type { Bounds, Coding, Values } from './values.ts';

/** A column's part of a row group, encoded and not yet compressed. */
export interface EncodedChunk {
  readonly column: ParquetColumn;
  readonly coding: Coding;
  readonly rows: number;
  readonly nulls: number;
  readonly bounds: Bounds | undefined;
  /** The distinct values, plainly, where the data page holds which of them each is. */
  readonly dictionary: { readonly body: Buffer; readonly values: number } | undefined;
  readonly data: Buffer;
}

const valuesOf = ({ type }: ParquetColumn): Values => {
  if (type === 'UTF8') return new TextValues();
  return new NumberValues(type === 'DOUBLE' ? 'doubles' : 'integers');
};

/** Gathers one column's values of a row group; emptied by `take`, and used again with its room. */
export class ColumnChunk {
  readonly #column: ParquetColumn;
  readonly #values: Values;
  readonly #sink = new ByteSink();
  /** 1 where a row holds a value, 0 where null. */
  #present = new Uint32Array(256);
  #rows = 0;

  constructor(column: ParquetColumn) {
    this.#column = column;
    this.#values = valuesOf(column);
  }

  /** Bytes gathered, as they would stand without any coding. */
  get plainBytes(): number {
    return this.#values.plainBytes;
  }

  /** Appends the values at `index` of `rows`. @throws LakeError for a value the type cannot hold */
  append(rows: readonly (readonly unknown[])[], index: number): void {
    this.#reserve(this.#rows + rows.length);
    for (const row of rows) {
      const value = row[index];
      const known = value !== null;
      if (known ? !this.#values.add(value) : !this.#column.optional) throw this.#misfit(value);
      this.#present[this.#rows] = known ? 1 : 0;
      this.#rows += 1;
    }
  }

  /** The chunk, in the coding that suits its values. */
  take(): EncodedChunk {
    const values = this.#values;
    const { coding, dictionary } = chooseCoding(values);
    const sink = this.#sink;
    let list: EncodedChunk['dictionary'];
    if (dictionary !== undefined) {
      sink.clear();
      for (const first of dictionary.firsts) values.encodeOne(first, sink);
      list = { body: Buffer.from(sink.view()), values: dictionary.firsts.length };
    }
    sink.clear();
    if (this.#column.optional) this.#putLevels();
    if (dictionary === undefined) values.encode(coding, 0, values.count, sink);
    else {
      const width = widthOf(dictionary.firsts.length);
      sink.byte(width);
      rleHybrid(dictionary.kinds, 0, values.count, width, sink);
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
    values.clear();
    this.#rows = 0;
    return encoded;
  }

  /** Which rows hold a value, behind its own length. */
  #putLevels(): void {
    const levels = new ByteSink(64);
    rleHybrid(this.#present, 0, this.#rows, 1, levels);
    this.#sink.word(levels.length);
    this.#sink.append(levels.view(), 0, levels.length);
  }

  #reserve(rows: number): void {
    if (rows <= this.#present.length) return;
    const grown = new Uint32Array(Math.max(this.#present.length * 2, rows));
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
