import type { ByteSink } from './byte-sink.ts';

/** Least equal values that are stored as a run. */
const LEAST_RUN = 8;

const runAt = (values: Uint32Array | Uint8Array, from: number, to: number): number => {
  let at = from + 1;
  while (at < to && values[at] === values[from]) at += 1;
  return at - from;
};

/**
 * Parquet's hybrid of run lengths and packed bits, for dictionary indexes and definition levels:
 * `values[start..end)`, each below 2^width (1 to 24 bits).
 */
export const rleHybrid = (
  values: Uint32Array | Uint8Array,
  { start, end }: { start: number; end: number },
  width: number,
  into: ByteSink,
): void => {
  const packed = (from: number, to: number): void => {
    if (from === to) return;
    const groups = Math.ceil((to - from) / 8);
    into.varint(groups * 2 + 1);
    into.pack(values, from, to, width);
    // the last group is filled up with zeros
    const missing = groups * width - Math.ceil(((to - from) * width) / 8);
    for (let i = 0; i < missing; i++) into.byte(0);
  };
  let pending = start; // first unwritten value
  for (let at = start; at < end; ) {
    const run = runAt(values, at, end);
    // packed values come in eights, filled up from the run
    const given = (8 - ((at - pending) % 8)) % 8;
    if (run - given < LEAST_RUN) {
      at += run;
      continue;
    }
    packed(pending, at + given);
    into.varint((run - given) * 2);
    for (let shift = 0; shift < width; shift += 8) into.byte(((values[at] ?? 0) >>> shift) & 255);
    at += run;
    pending = at;
  }
  packed(pending, end);
};
