import { LRUCache } from 'lru-cache';
import { type ContentCoding, compressed } from '../http/coding.ts';
import { exactBytes } from '../http/exact-bytes.ts';
import { RefusedError } from '../http/problems.ts';
import { FairQueue } from './fair-queue.ts';
import {
  isStillTrue,
  type LakeCache,
  type Moment,
  type Shelf,
  type Validity,
} from './lake-cache.ts';
import { SharedWork } from './shared-work.ts';

/** Bytes of a page, compressed on first use. */
export class PageBytes {
  readonly #plain: Buffer<ArrayBuffer>;
  readonly #compressed = new Map<ContentCoding, Buffer<ArrayBuffer>>();

  constructor(html: string) {
    this.#plain = exactBytes(Buffer.from(html));
  }

  get size(): number {
    return this.#plain.length;
  }

  bytes(coding: ContentCoding | null): Buffer<ArrayBuffer> {
    if (coding === null) return this.#plain;
    const known = this.#compressed.get(coding);
    if (known !== undefined) return known;
    const bytes = compressed(this.#plain, coding);
    this.#compressed.set(coding, bytes);
    return bytes;
  }
}

export interface ValidPage extends Validity {
  readonly page: PageBytes;
}

export interface PageAsker {
  /** Id of a key, or `KEYLESS`. */
  readonly owner: string;
  readonly gone: AbortSignal;
}

/** Cached pages. A client that requests many different ones must not evict all other data. */
const KEPT_MOST = 40;

/** Limits of concurrent pages, and of waiting pages per owner. */
const AT_ONCE = 2;
const WAITING_MOST = 6;

/**
 * Cache of pages. Two are computed at once, and concurrent requests share a computation. A few wait in a
 * fair queue and more are rejected, as pages may need no key.
 */
export class PageCache {
  readonly #pages: Shelf<ValidPage>;
  readonly #names: LRUCache<string, true>;
  readonly #work = new SharedWork<ValidPage>();
  readonly #waiting = new FairQueue<() => void>();
  #underWay = 0;

  constructor(cache: LakeCache) {
    const pages = cache.shelf<ValidPage>();
    this.#pages = pages;
    this.#names = new LRUCache({ max: KEPT_MOST, dispose: (_, name) => pages.delete(name) });
  }

  /** @throws RefusedError when too many wait */
  async page(
    name: string,
    moment: Moment,
    make: (unwanted: AbortSignal) => Promise<ValidPage>,
    { owner, gone }: PageAsker,
  ): Promise<PageBytes> {
    const kept = this.#pages.get(name);
    if (kept !== undefined && isStillTrue(kept, moment)) {
      this.#names.get(name);
      return kept.page;
    }
    const turn = (unwanted: AbortSignal): Promise<ValidPage> =>
      this.inTurn(() => make(unwanted), { owner, gone: unwanted });
    const page = await this.#work.do(name, turn, gone);
    if (page.version !== null) this.#keep(name, page);
    return page.page;
  }

  #keep(name: string, page: ValidPage): void {
    this.#names.set(name, true, { noDisposeOnSet: true });
    this.#pages.set(name, page, 2 * page.page.size); // as it is, and compressed
  }

  /**
   * Runs work that is not cached as one of the two. Skips it if its client has gone.
   * @throws RefusedError when too many wait
   */
  async inTurn<T>(make: () => Promise<T>, { owner, gone }: PageAsker): Promise<T> {
    await this.#turn(owner);
    try {
      gone.throwIfAborted();
      return await make();
    } finally {
      // later, so that other requests run between two pages
      setImmediate(() => this.#end());
    }
  }

  #turn(owner: string): Promise<void> | undefined {
    if (this.#underWay < AT_ONCE) {
      this.#underWay += 1;
      return undefined;
    }
    if (this.#waiting.sizeOf(owner) >= WAITING_MOST)
      throw new RefusedError(
        'unavailable',
        `The server is computing ${AT_ONCE} pages and ${WAITING_MOST} more of yours are waiting. Try again in 1 s.`,
        { headers: { 'retry-after': '1' } },
      );
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(owner, resolve);
    return promise;
  }

  #end(): void {
    const next = this.#waiting.take();
    if (next === undefined) this.#underWay -= 1;
    else next();
  }
}
