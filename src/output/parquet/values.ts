import type { ByteSink } from './byte-sink.ts';
import type { Packing } from './delta-binary-packed.ts';

/** Coding of a column chunk's values; names as in the Parquet format. */
export type Coding = 'PLAIN' | 'DELTA_BINARY_PACKED' | 'DELTA_BYTE_ARRAY' | 'RLE_DICTIONARY';

/** A part of a chunk's values, with the packing of its numbers. */
export interface ValuePart {
  readonly start: number;
  /** The position after the last. */
  readonly end: number;
  readonly packing: Packing;
}

/** Distinct values of a chunk, and the index of each value among them. */
export interface Dictionary {
  /** Position of the first value of each kind. */
  readonly firsts: readonly number[];
  /** For each value, which kind it is. Valid until another dictionary is made. */
  readonly kinds: Uint32Array;
}

/** The least and the greatest value. Texts are UTF-8, compared byte by byte. */
export interface Bounds {
  readonly least: number | Uint8Array;
  readonly greatest: number | Uint8Array;
}

/** The values of one column of a row group, without its nulls. Emptied and used again. */
export interface Values {
  readonly count: number;
  /** Bytes they take up plainly. */
  readonly plainBytes: number;
  /** Codings that can hold these values, besides a dictionary. */
  readonly codings: readonly Coding[];
  /** @returns false when the type cannot hold it exactly */
  add(value: unknown): boolean;
  /** Makes room for so many values, or more. */
  reserve(values: number): void;
  clear(): void;
  encode(coding: Coding, part: ValuePart, into: ByteSink): void;
  /** The value at `position`, as it stands in a dictionary. */
  encodeOne(position: number, into: ByteSink): void;
  /** Undefined where most values are distinct. */
  dictionary(): Dictionary | undefined;
  bounds(): Bounds | undefined;
}

let kinds = new Uint32Array(0);

/** Room for the kinds of so many values: the same for all dictionaries of a thread, one after another. */
export const roomForKinds = (values: number): Uint32Array => {
  if (kinds.length < values) kinds = new Uint32Array(values);
  return kinds;
};

const TRIED = 1024;
const MOST_DISTINCT = 0.6;

/** True if a dictionary of this many kinds does not pay for this many values. */
export const tooMany = (kinds: number, values: number): boolean =>
  values >= TRIED && kinds > values * MOST_DISTINCT;
