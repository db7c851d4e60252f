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
  /** Index of each value. Valid until the next dictionary is made. */
  readonly kinds: Uint32Array;
}

/** The least and the greatest value. Texts are UTF-8, compared byte by byte. */
export interface Bounds {
  readonly least: number | Uint8Array;
  readonly greatest: number | Uint8Array;
}

/** Values of a column of a row group, without nulls. `clear` empties it for reuse. */
export interface Values {
  readonly count: number;
  /** Bytes without any coding. */
  readonly plainBytes: number;
  /** Codings that can hold these values, besides a dictionary. */
  readonly codings: readonly Coding[];
  /** @returns false if the type cannot hold it exactly */
  add(value: unknown): boolean;
  /** Reserves memory for this many values. */
  reserve(values: number): void;
  clear(): void;
  encode(coding: Coding, part: ValuePart, into: ByteSink): void;
  /** Writes the value at `position` as in a dictionary. */
  encodeOne(position: number, into: ByteSink): void;
  /** Undefined if most values are distinct. */
  dictionary(): Dictionary | undefined;
  bounds(): Bounds | undefined;
}

let kinds = new Uint32Array(0);

/** Memory for the indexes of this many values, shared by all dictionaries of a thread. */
export const roomForKinds = (values: number): Uint32Array => {
  if (kinds.length < values) kinds = new Uint32Array(values);
  return kinds;
};

const TRIED = 1024;
const MOST_DISTINCT = 0.6;

/** True if a dictionary of this many kinds is not worth it for this many values. */
export const tooMany = (kinds: number, values: number): boolean =>
  values >= TRIED && kinds > values * MOST_DISTINCT;
