import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { exactBytes } from './exact-bytes.ts';

/** Content codings, the preferred one first: zstd takes a quarter of gzip's time here and less room. */
const CODINGS = ['zstd', 'gzip'] as const;
export type ContentCoding = (typeof CODINGS)[number];

/** True if the header names the coding, without `q=0`. */
const accepts = (header: string, coding: ContentCoding): boolean =>
  new RegExp(`(^|,)\\s*${coding}\\s*(;\\s*q=(?!0(\\.0*)?\\s*(,|$))|,|$)`, 'i').test(header);

/** The coding to use for a request with this Accept-Encoding; null: none. */
export const codingFor = (header: string | undefined): ContentCoding | null =>
  CODINGS.find((coding) => header !== undefined && accepts(header, coding)) ?? null;

const GZIP_LEVEL = 4; // 6 takes twice as long here and saves 3 %
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

export const compressed = (bytes: Uint8Array, coding: ContentCoding): Buffer<ArrayBuffer> =>
  exactBytes(
    coding === 'zstd' ? zstdCompressSync(bytes, ZSTD) : gzipSync(bytes, { level: GZIP_LEVEL }),
  );
