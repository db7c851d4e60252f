import {
  constants,
  gzip,
  gzipSync,
  type ZlibOptions,
  type ZstdOptions,
  zstdCompress,
  zstdCompressSync,
} from 'node:zlib';
import { snappyCompress } from 'hyparquet-writer/src/snappy.js';
import PQueue from 'p-queue';
import type { ParquetCodec } from '../../base/config/parquet-codecs.ts';

/** Shorter pages are compressed in this thread, which is faster than handing them over. */
const WORTH_A_THREAD = 1 << 14;
/** More would not be faster than encoding, and each takes some MB. */
const COMPRESSED_AT_ONCE = 2;
/** Most bytes by which incompressible data grows. */
const LONGER = 1024;

/** One output chunk and a window of the page's size: less memory, and one trip to the pool. */
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

/** Compresses pages, few at once. Several writers can share it. */
export class PageCompressor {
  readonly codec: ParquetCodec;
  readonly #pool = new PQueue({ concurrency: COMPRESSED_AT_ONCE });

  constructor(codec: ParquetCodec) {
    this.codec = codec;
  }

  /** Compresses a page. A long one must not change until it is done. */
  compress(page: Buffer): Buffer | Promise<Buffer> {
    const short = page.length < WORTH_A_THREAD;
    if (this.codec === 'snappy') return Buffer.from(snappyCompress(page));
    if (this.codec === 'gzip')
      return short
        ? gzipSync(page, gzipOptions(page))
        : this.#inPool((outcome) => gzip(page, gzipOptions(page), outcome));
    return short
      ? zstdCompressSync(page, zstdOptions(LEVEL, page))
      : this.#inPool((outcome) => zstdCompress(page, zstdOptions(LEVEL, page), outcome));
  }

  #inPool(compress: (outcome: Outcome) => void): Promise<Buffer> {
    return this.#pool.add(() => inPool(compress));
  }
}

/** Estimated compressed length of a page. */
export const compressedLength = (page: Buffer): number =>
  zstdCompressSync(page, zstdOptions(QUICK, page)).length;
