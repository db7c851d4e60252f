import type { ByteSink } from './byte-sink.ts';

const BLOCK_VALUES = 128;
const MINIBLOCKS = 4;
const MINIBLOCK_VALUES = BLOCK_VALUES / MINIBLOCKS;
const WORD = 0x1_0000_0000;

/** Differences of values this close together, less the smallest of them, are exact in a double. */
export const WIDEST_RANGE = 2 ** 52;

const widthOf = (greatest: number): number =>
  greatest < WORD ? 32 - Math.clz32(greatest) : 64 - Math.clz32(Math.floor(greatest / WORD));

const block = new Float64Array(BLOCK_VALUES);

/** Fills `block` with a block's differences, less the smallest of them, which it returns. */
const fillBlock = (values: Float64Array, from: number, count: number): number => {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    const delta = (values[from + i] ?? 0) - (values[from + i - 1] ?? 0);
    block[i] = delta;
    if (delta < least) least = delta;
  }
  for (let i = 0; i < count; i++) block[i] = (block[i] ?? 0) - least;
  block.fill(0, count);
  return least;
};

/**
 * Parquet's DELTA_BINARY_PACKED of `values[start..end)`: the first value, then blocks of
 * differences to the value before, each in as few bits as the widest of 32 needs. For safe
 * integers, the greatest no more than `WIDEST_RANGE` above the least.
 */
export const deltaBinaryPacked = (
  values: Float64Array,
  start: number,
  end: number,
  into: ByteSink,
): void => {
  into.varint(BLOCK_VALUES);
  into.varint(MINIBLOCKS);
  into.varint(end - start);
  into.zigzag(end > start ? (values[start] ?? 0) : 0);
  for (let from = start + 1; from < end; from += BLOCK_VALUES) {
    const count = Math.min(BLOCK_VALUES, end - from);
    into.zigzag(fillBlock(values, from, count));
    const widths: number[] = [];
    for (let at = 0; at < BLOCK_VALUES; at += MINIBLOCK_VALUES) {
      let greatest = 0;
      for (let i = at; i < at + MINIBLOCK_VALUES; i++) {
        const value = block[i] ?? 0;
        if (value > greatest) greatest = value;
      }
      widths.push(widthOf(greatest));
    }
    for (const width of widths) into.byte(width);
    widths.forEach((width, miniblock) => {
      const at = miniblock * MINIBLOCK_VALUES;
      if (at < count) into.pack(block, at, at + MINIBLOCK_VALUES, width);
    });
  }
};
