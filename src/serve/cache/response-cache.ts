import { LRUCache } from 'lru-cache';
import { bytesOf, type SentBytes, type WrittenResponse, writtenAt } from '../written-response.ts';
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
  readonly #valid: ValidResponse;
  #written: WrittenResponse;
  #gzipped: SentBytes | undefined;

  constructor(valid: ValidResponse) {
    this.#valid = valid;
    this.#written = valid.written;
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
    this.#gzipped ??= bytesOf(this.#written, true);
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
    if (this.#asked.delete(address))
      this.#responses.set(address, new CachedResponse(valid), valid.written.bytes.length);
    else this.#asked.set(address, true);
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
