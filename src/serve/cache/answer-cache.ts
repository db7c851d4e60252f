import { LRUCache } from 'lru-cache';
import { bytesOf, type SentBytes, type WrittenAnswer, writtenAt } from '../answer.ts';
import {
  isStillTrue,
  type LakeCache,
  type Moment,
  type Shelf,
  type Validity,
} from './lake-cache.ts';

/** An answer, and the moments it may be given at. */
export interface ValidAnswer extends Validity {
  readonly written: WrittenAnswer;
  /** True where it is true at whatever instant it is given, not at one of its own. */
  readonly isOfItsInstant: boolean;
}

/** Addresses remembered as asked at most, and the longest of them. */
const ASKED_MOST = 2000;
const LONGEST_ADDRESS = 512;

/** An answer in memory, as it was sent last. */
export class CachedAnswer {
  readonly #valid: ValidAnswer;
  #written: WrittenAnswer;
  #gzipped: SentBytes | undefined;

  constructor(valid: ValidAnswer) {
    this.#valid = valid;
    this.#written = valid.written;
  }

  isTrue(moment: Moment): boolean {
    return isStillTrue(this.#valid, moment);
  }

  /** What is sent of it at `at`. */
  at(at: number): WrittenAnswer {
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
 * Answers by address (path and query as they came), given again for as long as they are still true.
 * One is put in when its address is asked a second time: most are asked once, and keeping them costs.
 */
export class AnswerCache {
  readonly #answers: Shelf<CachedAnswer>;
  readonly #asked = new LRUCache<string, true>({ max: ASKED_MOST });

  constructor(cache: LakeCache) {
    this.#answers = cache.shelf();
  }

  /** Puts an answer in, where its address was asked before. */
  keep(address: string, valid: ValidAnswer): void {
    if (address.length > LONGEST_ADDRESS) return;
    if (this.#asked.delete(address))
      this.#answers.set(address, new CachedAnswer(valid), valid.written.bytes.length);
    else this.#asked.set(address, true);
  }

  /** The answer that is still true at this moment. */
  find(address: string, moment: Moment): CachedAnswer | undefined {
    const cached = this.#answers.get(address);
    if (cached === undefined || cached.isTrue(moment)) return cached;
    this.#answers.delete(address);
    this.#asked.set(address, true);
    return undefined;
  }
}
