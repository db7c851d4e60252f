import { LRUCache } from 'lru-cache';
import { exactBytes } from '../http/exact-bytes.ts';
import {
  bytesOf,
  type SentBytes,
  type WrittenResponse,
  writtenAt,
} from '../http/written-response.ts';
import {
  isStillTrue,
  type LakeCache,
  type Moment,
  type Shelf,
  type Validity,
} from './lake-cache.ts';

/** A response, and the moments it may be given at. */
export interface ValidResponse extends Validity {
  readonly written: WrittenResponse;
  /** True where it is true at whatever instant it is given, not at one of its own. */
  readonly isOfItsInstant: boolean;
}

/** Addresses remembered as asked at most, and the longest of them. */
const REQUESTED_MOST = 2000;
const LONGEST_ADDRESS = 512;

/** A response in memory, as it was sent last. */
export class CachedResponse {
  readonly #valid: Omit<ValidResponse, 'written'>;
  #written: WrittenResponse;
  #gzipped: SentBytes | undefined;

  readonly #compressed: () => void;

  /** @param compressed called when the response takes more memory, as it was compressed */
  constructor({ written, ...valid }: ValidResponse, compressed: () => void) {
    this.#valid = valid;
    this.#written = { ...written, bytes: exactBytes(written.bytes) };
    this.#compressed = compressed;
  }

  /** Memory of its bytes. */
  get size(): number {
    return this.#written.bytes.length + (this.#gzipped?.bytes.length ?? 0);
  }

  isTrue(moment: Moment): boolean {
    return isStillTrue(this.#valid, moment);
  }

  /** What is sent of it at `at`. */
  at(at: number): WrittenResponse {
    if (!this.#valid.isOfItsInstant || this.#written.asOf === at) return this.#written;
    this.#gzipped = undefined;
    this.#written = writtenAt(this.#written, at); // as long as the text of any other instant
    return this.#written;
  }

  /** The bytes of what `at` gave last, compressed once for all who take that. */
  bytes(gzip: boolean): SentBytes {
    if (!gzip) return bytesOf(this.#written, false);
    if (this.#gzipped === undefined) {
      const { bytes, encoding } = bytesOf(this.#written, true);
      if (encoding === null) return { bytes, encoding };
      this.#gzipped = { bytes: exactBytes(bytes), encoding };
      this.#compressed();
    }
    return this.#gzipped;
  }
}

/**
 * Responses by address (path and query as they came), given again for as long as they are still true.
 * One is put in when its address is asked a second time: most are asked once, and keeping them costs.
 */
export class ResponseCache {
  readonly #responses: Shelf<CachedResponse>;
  readonly #asked = new LRUCache<string, true>({ max: REQUESTED_MOST });

  constructor(cache: LakeCache) {
    this.#responses = cache.shelf();
  }

  /** Puts a response in, where its address was asked before. */
  keep(address: string, valid: ValidResponse): void {
    if (address.length > LONGEST_ADDRESS) return;
    if (!this.#asked.delete(address)) {
      this.#asked.set(address, true);
      return;
    }
    const put = (): void => this.#responses.set(address, response, response.size);
    const response = new CachedResponse(valid, put);
    put();
  }

  /** The response that is still true; the moment is asked for only where there is one. */
  find(address: string, moment: () => Moment): CachedResponse | undefined {
    const cached = this.#responses.get(address);
    if (cached === undefined || cached.isTrue(moment())) return cached;
    this.#responses.delete(address);
    this.#asked.set(address, true);
    return undefined;
  }
}
