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
import type { ParquetCodec } from '../config/parquet-codecs.ts';

/** Shorter ones are compressed before a thread of the pool would have taken them up. */
const WORTH_A_THREAD = 1 << 14;
/** Bytes by which what cannot be compressed grows, at most. */
const LONGER = 1024;

/** Room for all at once, and a window that is no larger: less memory, and one trip to the pool. */
const zstdOptions = (level: number, { length }: Buffer): ZstdOptions => ({
  params: { [constants.ZSTD_c_compressionLevel]: level },
  chunkSize: length + LONGER,
  pledgedSrcSize: length,
});
const LEVEL = 6;
const QUICK = 1;
const gzipOptions = ({ length }: Buffer): ZlibOptions => ({ level: 6, chunkSize: length + LONGER });

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
    return short
      ? gzipSync(page, gzipOptions(page))
      : inPool((outcome) => gzip(page, gzipOptions(page), outcome));
  return short
    ? zstdCompressSync(page, zstdOptions(LEVEL, page))
    : inPool((outcome) => zstdCompress(page, zstdOptions(LEVEL, page), outcome));
};

/** About how long a page would be once compressed; quick. */
export const compressedLength = (page: Buffer): number =>
  zstdCompressSync(page, zstdOptions(QUICK, page)).length;
