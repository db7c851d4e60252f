import { ByteSink } from './byte-sink.ts';
import { compressedLength } from './codec.ts';
import { rleHybrid } from './rle-hybrid.ts';
import type { Coding, Dictionary, Values } from './values.ts';

/** Values tried out: enough to tell codings apart, few enough to try them all. */
const SAMPLE = 4096;
/** Fewer values than these are not tried: the lengths of what is packed tell enough. */
const LEAST_TRIED = 512;
/** What a codec makes of plain values, which it compresses better than packed ones. */
const PLAIN_SHRINKS_TO = 0.6;

/** Bits that tell so many kinds apart. */
export const widthOf = (kinds: number): number => Math.max(1, 32 - Math.clz32(kinds - 1));

const scratch = new ByteSink();
type Measure = (packed: Buffer) => number;

const measureCoding = (
  values: Values,
  coding: Coding,
  [start, end]: readonly [number, number],
  measure: Measure,
): number => {
  scratch.clear();
  values.encode(coding, start, end, scratch);
  const plain = coding === 'PLAIN' && values.count < LEAST_TRIED ? PLAIN_SHRINKS_TO : 1;
  return (measure(scratch.view()) * plain * values.count) / (end - start);
};

const measureDictionary = (
  values: Values,
  { firsts, kinds }: Dictionary,
  [start, end]: readonly [number, number],
  measure: Measure,
): number => {
  scratch.clear();
  const listed = Math.min(firsts.length, SAMPLE);
  for (let kind = 0; kind < listed; kind++) values.encodeOne(firsts[kind] ?? 0, scratch);
  const list = (measure(scratch.view()) * firsts.length) / listed;
  scratch.clear();
  rleHybrid(kinds, { start, end }, widthOf(firsts.length), scratch);
  return list + (measure(scratch.view()) * values.count) / (end - start);
};

/**
 * The coding that makes a chunk shortest, by a sample from its middle. The same values are always
 * given the same coding.
 */
export const chooseCoding = (
  values: Values,
): { coding: Coding; dictionary: Dictionary | undefined } => {
  if (values.count === 0) return { coding: 'PLAIN', dictionary: undefined };
  const start = Math.max(0, Math.floor((values.count - SAMPLE) / 2));
  const range = [start, Math.min(start + SAMPLE, values.count)] as const;
  const measure: Measure =
    values.count < LEAST_TRIED ? (packed) => packed.length : compressedLength;
  let chosen: Coding = 'PLAIN';
  let shortest = Number.POSITIVE_INFINITY;
  for (const coding of values.codings) {
    const length = measureCoding(values, coding, range, measure);
    if (length >= shortest) continue;
    shortest = length;
    chosen = coding;
  }
  const dictionary = values.dictionary();
  return dictionary !== undefined &&
    measureDictionary(values, dictionary, range, measure) < shortest
    ? { coding: 'RLE_DICTIONARY', dictionary }
    : { coding: chosen, dictionary: undefined };
};
