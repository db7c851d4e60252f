import type { ByteSink } from './byte-sink.ts';

const BLOCK_VALUES = 128;
const MINIBLOCKS = 4;
const MINIBLOCK_VALUES = BLOCK_VALUES / MINIBLOCKS;
const WORD = 0x1_0000_0000;

/** Differences of values within this range are exact in a double. */
export const WIDEST_RANGE = 2 ** 52;

const widthOf = (greatest: number): number =>
  greatest < WORD ? 32 - Math.clz32(greatest) : 64 - Math.clz32(Math.floor(greatest / WORD));

/**
 * Packing of numbers: as few bits as needed, or whole bytes, which are longer but let a codec with
 * an entropy coder find repetitions.
 */
export type Packing = 'bits' | 'bytes';

/** Packed width of a number that needs `bits`. */
export const packedWidth = (bits: number, packing: Packing): number =>
  packing === 'bits' ? bits : (bits + 7) & ~7;

const block = new Float64Array(BLOCK_VALUES);

/** Fills `block` with differences to the previous value. */
const fillBlock = (values: Float64Array, from: number, count: number): void => {
  for (let i = 0; i < count; i++) block[i] = (values[from + i] ?? 0) - (values[from + i - 1] ?? 0);
};

const leastDifference = (values: Float64Array, start: number, end: number): number => {
  let least = Number.POSITIVE_INFINITY;
  for (let i = start + 1; i < end; i++) {
    const difference = (values[i] ?? 0) - (values[i - 1] ?? 0);
    if (difference < least) least = difference;
  }
  return least;
};

/**
 * Base of the first `count` differences of `block`: their minimum. With whole bytes it is the minimum of
 * all blocks unless that makes one longer, because equal differences then have equal bytes.
 */
const baseOf = (count: number, leastOfAll: number, packing: Packing): number => {
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    const difference = block[i] ?? 0;
    if (difference < least) least = difference;
    if (difference > greatest) greatest = difference;
  }
  const wide = (base: number): number => packedWidth(widthOf(greatest - base), packing);
  return packing === 'bytes' && wide(leastOfAll) === wide(least) ? leastOfAll : least;
};

/**
 * Parquet's DELTA_BINARY_PACKED of `values[start..end)`: the first value, then blocks of differences to
 * the previous value. Each 32 of them have the width of the widest. The values are safe integers within
 * `WIDEST_RANGE`.
 */
export const deltaBinaryPacked = (
  values: Float64Array,
  { start, end }: { readonly start: number; readonly end: number },
  packing: Packing,
  into: ByteSink,
): void => {
  into.varint(BLOCK_VALUES);
  into.varint(MINIBLOCKS);
  into.varint(end - start);
  into.zigzag(end > start ? (values[start] ?? 0) : 0);
  const leastOfAll = packing === 'bytes' ? leastDifference(values, start, end) : 0;
  for (let from = start + 1; from < end; from += BLOCK_VALUES) {
    const count = Math.min(BLOCK_VALUES, end - from);
    fillBlock(values, from, count);
    const base = baseOf(count, leastOfAll, packing);
    into.zigzag(base);
    for (let i = 0; i < count; i++) block[i] = (block[i] ?? 0) - base;
    block.fill(0, count);
    const widths: number[] = [];
    for (let at = 0; at < BLOCK_VALUES; at += MINIBLOCK_VALUES) {
      const from = packing === 'bits' ? at : 0; // equal widths let bytes repeat
      const to = packing === 'bits' ? at + MINIBLOCK_VALUES : BLOCK_VALUES;
      let greatest = 0;
      for (let i = from; i < to; i++) {
        const value = block[i] ?? 0;
        if (value > greatest) greatest = value;
      }
      widths.push(packedWidth(widthOf(greatest), packing));
    }
    for (const width of widths) into.byte(width);
    widths.forEach((width, miniblock) => {
      const at = miniblock * MINIBLOCK_VALUES;
      if (at < count) into.pack(block, at, at + MINIBLOCK_VALUES, width);
    });
  }
};
