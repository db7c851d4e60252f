import type { ParquetCodec } from '../../base/config/parquet-codecs.ts';
import { ByteSink } from './byte-sink.ts';
import { compressedLength } from './codec.ts';
import { type Packing, packedWidth } from './delta-binary-packed.ts';
import { rleHybrid } from './rle-hybrid.ts';
import type { Coding, Dictionary, ValuePart, Values } from './values.ts';

/** Values of a sample. */
const SAMPLE = 4096;
/** Below this, packed lengths are compared instead of compressed ones. */
const LEAST_TRIED = 512;
/** Typical size after compression of plain values, which compress better than packed ones. */
const PLAIN_SHRINKS_TO = 0.6;

/** Packing for a codec: snappy has no entropy coder, and few numbers are already short. */
export const packingFor = (values: number, codec: ParquetCodec): Packing =>
  codec === 'snappy' || values < LEAST_TRIED ? 'bits' : 'bytes';

/** Widths from here on are rounded up to whole bytes. */
const LEAST_WHOLE = 5;

/** Bits of a dictionary index. */
export const widthOf = (kinds: number, packing: Packing): number => {
  const bits = Math.max(1, 32 - Math.clz32(kinds - 1));
  return bits < LEAST_WHOLE ? bits : packedWidth(bits, packing);
};

const scratch = new ByteSink();
type Measure = (packed: Buffer) => number;

const measureCoding = (
  values: Values,
  coding: Coding,
  part: ValuePart,
  measure: Measure,
): number => {
  scratch.clear();
  values.encode(coding, part, scratch);
  const plain = coding === 'PLAIN' && values.count < LEAST_TRIED ? PLAIN_SHRINKS_TO : 1;
  return (measure(scratch.view()) * plain * values.count) / (part.end - part.start);
};

const measureDictionary = (
  values: Values,
  { firsts, kinds }: Dictionary,
  part: ValuePart,
  measure: Measure,
): number => {
  scratch.clear();
  const listed = Math.min(firsts.length, SAMPLE);
  for (let kind = 0; kind < listed; kind++) values.encodeOne(firsts[kind] ?? 0, scratch);
  const list = (measure(scratch.view()) * firsts.length) / listed;
  scratch.clear();
  rleHybrid(kinds, part, widthOf(firsts.length, part.packing), scratch);
  return list + (measure(scratch.view()) * values.count) / (part.end - part.start);
};

/**
 * Coding that makes a chunk shortest, by a sample from its middle. Equal values get the same coding.
 */
export const chooseCoding = (
  values: Values,
  packing: Packing,
): { coding: Coding; dictionary: Dictionary | undefined } => {
  if (values.count === 0) return { coding: 'PLAIN', dictionary: undefined };
  const start = Math.max(0, Math.floor((values.count - SAMPLE) / 2));
  const part = { start, end: Math.min(start + SAMPLE, values.count), packing };
  const measure: Measure =
    values.count < LEAST_TRIED ? (packed) => packed.length : compressedLength;
  let chosen: Coding = 'PLAIN';
  let shortest = Number.POSITIVE_INFINITY;
  for (const coding of values.codings) {
    const length = measureCoding(values, coding, part, measure);
    if (length >= shortest) continue;
    shortest = length;
    chosen = coding;
  }
  const dictionary = values.dictionary();
  return dictionary !== undefined && measureDictionary(values, dictionary, part, measure) < shortest
    ? { coding: 'RLE_DICTIONARY', dictionary }
    : { coding: chosen, dictionary: undefined };
};
