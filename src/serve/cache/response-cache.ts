import { type ContentCoding, exactBytes } from '../http/coding.ts';
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

export class CachedResponse {
  readonly #valid: ValidResponse;
  #written: WrittenResponse;
  /** In the coding requested last: most clients use one. */
  #compressed: SentBytes | undefined;

  constructor(valid: ValidResponse) {
    this.#valid = valid;
    this.#written = valid.written;
  }

  isTrue(moment: Moment): boolean {
    return isStillTrue(this.#valid, moment);
  }

  /** The response as sent at `at`. */
  at(at: number): WrittenResponse {
    if (!this.#valid.isOfItsInstant || this.#written.asOf === at) return this.#written;
    this.#compressed = undefined;
    this.#written = writtenAt(this.#written, at);
    return this.#written;
  }

  /** Bytes of the response that `at` returned last. */
  bytes(coding: ContentCoding | null): SentBytes {
    if (this.#compressed?.encoding === coding) return this.#compressed;
    const sent = bytesOf(this.#written, coding);
    if (sent.encoding !== null) this.#compressed = sent;
    return sent;
  }
}

/** Responses by path and query. */
export class ResponseCache {
  readonly #responses: Shelf<CachedResponse>;

  constructor(cache: LakeCache) {
    this.#responses = cache.shelf();
  }

  keep(address: string, { written, ...valid }: ValidResponse): void {
    const bytes = exactBytes(written.bytes);
    const response = new CachedResponse({ ...valid, written: { ...written, bytes } });
    this.#responses.set(address, response, 2 * bytes.length); // as it is, and compressed
  }

  /** A valid response. `moment` is called only if there is one to check. */
  find(address: string, moment: () => Moment): CachedResponse | undefined {
    const cached = this.#responses.get(address);
    if (cached === undefined || cached.isTrue(moment())) return cached;
    this.#responses.delete(address);
    return undefined;
  }
}
