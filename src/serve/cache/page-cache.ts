import { gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { exactBytes } from '../exact-bytes.ts';
import { RefusedError } from '../problems.ts';
import {
  isStillTrue,
  type LakeCache,
  type Moment,
  type Shelf,
  type Validity,
} from './lake-cache.ts';
import { SharedWork } from './shared-work.ts';

/** A page as it is sent; compressed once for all who take that. */
export class PageBytes {
  readonly #plain: Buffer<ArrayBuffer>;
  #gzipped: Buffer<ArrayBuffer> | undefined;

  constructor(html: string) {
    this.#plain = exactBytes(Buffer.from(html));
  }

  get size(): number {
    return this.#plain.length;
  }

  bytes(gzip: boolean): Buffer<ArrayBuffer> {
    if (!gzip) return this.#plain;
    this.#gzipped ??= exactBytes(gzipSync(this.#plain));
    return this.#gzipped;
  }
}

/** A page made from the lake, and the moments it is true at. */
export interface MadePage extends Validity {
  readonly page: PageBytes;
}

/** Pages kept at most: whoever asks for ever other ones must not push everything else out. */
const KEPT_MOST = 40;

/** Pages that are computed at once. */
const AT_ONCE = 2;

/**
 * Pages made from the lake, from memory while they are still true. Two are computed at once, equal
 * ones wanted at the same time once; more are refused, not queued, so that nobody who may ask without
 * a key can have more computed than that.
 */
export class PageCache {
  readonly #pages: Shelf<MadePage>;
  readonly #names: LRUCache<string, true>;
  readonly #work = new SharedWork<MadePage>();
  #underWay = 0;

  constructor(cache: LakeCache) {
    const pages = cache.shelf<MadePage>();
    this.#pages = pages;
    this.#names = new LRUCache({ max: KEPT_MOST, dispose: (_, name) => pages.delete(name) });
  }

  /** @throws (rejects) RefusedError where as many others are being computed */
  async page(
    name: string,
    moment: Moment,
    make: (unwanted: AbortSignal) => Promise<MadePage>,
    gone: AbortSignal,
  ): Promise<PageBytes> {
    const kept = this.#pages.get(name);
    if (kept !== undefined && isStillTrue(kept, moment)) {
      this.#names.get(name);
      return kept.page;
    }
    const made = await this.#work.do(name, (unwanted) => this.inTurn(() => make(unwanted)), gone);
    if (made.version !== null) this.#keep(name, made);
    return made.page;
  }

  #keep(name: string, made: MadePage): void {
    this.#names.set(name, true, { noDisposeOnSet: true });
    this.#pages.set(name, made, 2 * made.page.size); // as it is, and compressed
  }

  /**
   * Makes something that is not kept, as one of the two.
   * @throws (rejects) RefusedError where as many others are being computed
   */
  async inTurn<T>(make: () => Promise<T>): Promise<T> {
    if (this.#underWay >= AT_ONCE)
      throw new RefusedError(
        'unavailable',
        `${AT_ONCE} pages are being computed already. Try again in a moment.`,
        { headers: { 'retry-after': '1' } },
      );
    this.#underWay += 1;
    try {
      return await make();
    } finally {
      this.#underWay -= 1;
    }
  }
}
