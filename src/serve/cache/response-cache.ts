import { LRUCache } from 'lru-cache';
import type { ContentCoding } from '../http/coding.ts';
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

export interface ValidResponse extends Validity {
  readonly written: WrittenResponse;
  /** True if `asOf` is the time of sending. */
  readonly isOfItsInstant: boolean;
}

/** Addresses that are remembered after their first request, and their longest length. */
const REQUESTED_MOST = 2000;
const LONGEST_ADDRESS = 512;

export class CachedResponse {
  readonly #valid: Omit<ValidResponse, 'written'>;
  #written: WrittenResponse;
  /** In the coding requested last: most clients use one. */
  #compressed: SentBytes | undefined;
  readonly #onCompressed: () => void;

  /** @param onCompressed called when the compressed bytes add to `size` */
  constructor({ written, ...valid }: ValidResponse, onCompressed: () => void) {
    this.#valid = valid;
    this.#written = { ...written, bytes: exactBytes(written.bytes) };
    this.#onCompressed = onCompressed;
  }

  get size(): number {
    return this.#written.bytes.length + (this.#compressed?.bytes.length ?? 0);
  }

  isTrue(moment: Moment): boolean {
    return isStillTrue(this.#valid, moment);
  }

  /** The response as sent at `at`. */
  at(at: number): WrittenResponse {
    if (!this.#valid.isOfItsInstant || this.#written.asOf === at) return this.#written;
    this.#compressed = undefined;
    this.#written = writtenAt(this.#written, at); // same length, so the same size
    return this.#written;
  }

  /** Bytes of the response that `at` returned last. */
  bytes(coding: ContentCoding | null): SentBytes {
    if (this.#compressed !== undefined && this.#compressed.encoding === coding)
      return this.#compressed;
    const sent = bytesOf(this.#written, coding);
    if (sent.encoding === null) return sent;
    this.#compressed = sent;
    this.#onCompressed();
    return sent;
  }
}

/** Responses by path and query. One is cached when its address is requested a second time, as most are not. */
export class ResponseCache {
  readonly #responses: Shelf<CachedResponse>;
  readonly #asked = new LRUCache<string, true>({ max: REQUESTED_MOST });

  constructor(cache: LakeCache) {
    this.#responses = cache.shelf();
  }

  /** Caches a response if its address was requested before. */
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

  /** A valid response. `moment` is called only if there is one to check. */
  find(address: string, moment: () => Moment): CachedResponse | undefined {
    const cached = this.#responses.get(address);
    if (cached === undefined || cached.isTrue(moment())) return cached;
    this.#responses.delete(address);
    this.#asked.set(address, true);
    return undefined;
  }
}
