import { gunzipSync, gzipSync } from 'node:zlib';
import type { VolumeModel } from '../volumes/learn-volumes.ts';
import type { WayModel } from './learn.ts';

/** Increase it when the meaning of a model changes. Rows of other versions are not read. */
const MODEL_VERSION = 4;

const MAX_BYTES = 64 * 1024 * 1024;

type Packed = { readonly float32: string } | { readonly int16: string };

const base64 = ({ buffer, byteOffset, byteLength }: Float32Array | Int16Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

const pack = (_: string, value: unknown): unknown => {
  if (value instanceof Float32Array) return { float32: base64(value) } satisfies Packed;
  if (value instanceof Int16Array) return { int16: base64(value) } satisfies Packed;
  return value;
};

const bytesOf = (text: string): ArrayBuffer => {
  const bytes = Buffer.from(text, 'base64');
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
};

const unpack = (_: string, value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  const { float32, int16 } = value as { float32?: unknown; int16?: unknown };
  if (typeof float32 === 'string') return new Float32Array(bytesOf(float32));
  if (typeof int16 === 'string') return new Int16Array(bytesOf(int16));
  return value;
};

/** Equal models give equal bytes. */
export const packModel = (model: WayModel | VolumeModel): Buffer =>
  gzipSync(JSON.stringify({ version: MODEL_VERSION, model }, pack));

const isTrees = (value: unknown): boolean => {
  const { depth, features, cuts, leaves } = (value ?? {}) as Record<string, unknown>;
  return (
    typeof depth === 'number' &&
    features instanceof Int16Array &&
    cuts instanceof Float32Array &&
    leaves instanceof Float32Array &&
    cuts.length === features.length &&
    leaves.length * (2 ** depth - 1) === features.length * 2 ** depth
  );
};

const INCOMPLETE = 'parts of it are missing';

const unpacked = (bytes: Buffer): Record<string, unknown> => {
  const text = gunzipSync(bytes, { maxOutputLength: MAX_BYTES }).toString('utf8');
  const { version, model } = JSON.parse(text, unpack) as {
    version?: unknown;
    model?: Record<string, unknown>;
  };
  if (version !== MODEL_VERSION)
    throw new Error(`it has version ${String(version)}, and this trendlake reads ${MODEL_VERSION}`);
  if (![model?.low, model?.median, model?.high].every(isTrees)) throw new Error(INCOMPLETE);
  return model ?? {};
};

const isObject = (part: unknown): boolean => typeof part === 'object' && part !== null;

/** @throws Error for damaged bytes or another version */
export const unpackModel = (bytes: Buffer): WayModel => {
  const model = unpacked(bytes);
  const { cohorts, odds, calibration, corrections, usual, rise } = model;
  const isWhole =
    Array.isArray(cohorts) &&
    isTrees(odds) &&
    [calibration, corrections, usual, rise].every(isObject);
  if (!isWhole) throw new Error(INCOMPLETE);
  return model as unknown as WayModel;
};

/** @throws Error for damaged bytes or another version */
export const unpackVolumeModel = (bytes: Buffer): VolumeModel => {
  const model = unpacked(bytes);
  const isWhole = isObject(model.correction) && typeof model.usual === 'number';
  if (!isWhole) throw new Error(INCOMPLETE);
  return model as unknown as VolumeModel;
};
