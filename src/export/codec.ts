import {
  constants,
  gzip,
  gzipSync,
  type ZlibOptions,
  type ZstdOptions,
  zstdCompress,
  zstdCompressSync,
} from 'node:zlib';
import { compress as snappyCompress } from 'snappyjs';
import type { ParquetCodec } from '../parquet-codecs.ts';

/** Shorter ones are compressed before a thread of the pool would have taken them up. */
const WORTH_A_THREAD = 1 << 14;
const ZSTD: ZstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: 6 } };
const QUICK: ZstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const GZIP: ZlibOptions = { level: 6 };

type Outcome = (error: Error | null, bytes: Buffer) => void;

const inPool = (compress: (outcome: Outcome) => void): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    compress((error, bytes) => (error === null ? resolve(bytes) : reject(error)));
  });

/** Compresses a page; a long one beside what goes on meanwhile, so its bytes must not change. */
export const compressPage = (codec: ParquetCodec, page: Buffer): Buffer | Promise<Buffer> => {
  const short = page.length < WORTH_A_THREAD;
  if (codec === 'snappy') return Buffer.from(snappyCompress(page));
  if (codec === 'gzip')
    return short ? gzipSync(page, GZIP) : inPool((outcome) => gzip(page, GZIP, outcome));
  return short
    ? zstdCompressSync(page, ZSTD)
    : inPool((outcome) => zstdCompress(page, ZSTD, outcome));
};

/** About how long a page would be once compressed; quick. */
export const compressedLength = (page: Buffer): number => zstdCompressSync(page, QUICK).length;
