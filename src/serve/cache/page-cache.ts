import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import { type ContentCoding, compressed, exactBytes } from '../http/coding.ts';
import {
  isStillTrue,
  type LakeCache,
  type Moment,
  type Shelf,
  type Validity,
} from './lake-cache.ts';
import { SharedWork } from './shared-work.ts';
import { WorkQueue } from './work-queue.ts';

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
  readonly #queue: WorkQueue;

  constructor(cache: LakeCache, clock: Pick<Clock, 'sleep'>) {
    const pages = cache.shelf<ValidPage>();
    this.#pages = pages;
    this.#names = new LRUCache({ max: KEPT_MOST, dispose: (_, name) => pages.delete(name) });
    const limits = { atOnce: AT_ONCE, atOnceOfOwner: AT_ONCE, waitingMost: WAITING_MOST };
    this.#queue = new WorkQueue({ ...limits, clock });
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

  /**
   * Runs work that is not cached as one of the two.
   * @throws RefusedError when too many wait
   */
  inTurn<T>(make: () => Promise<T>, { owner, gone }: PageAsker): Promise<T> {
    return this.#queue.run(owner, gone, make);
  }

  #keep(name: string, page: ValidPage): void {
    this.#names.set(name, true, { noDisposeOnSet: true });
    this.#pages.set(name, page, 2 * page.page.size); // as it is, and compressed
  }
}
