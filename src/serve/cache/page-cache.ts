import { gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
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

/** Who asks for a page, and how it is learnt that nobody waits for it any more. */
export interface PageAsker {
  /** The id of a key, or one name for all without. */
  readonly owner: string;
  readonly gone: AbortSignal;
}

/** Pages kept at most: whoever asks for ever other ones must not push everything else out. */
const KEPT_MOST = 40;

/** Pages that are computed at once, and those of one owner that may wait for that. */
const AT_ONCE = 2;
const WAITING_MOST = 6;

/**
 * Pages made from the lake, from memory while they are still true. Two are computed at once, equal
 * ones wanted at the same time once. A few wait, those of different owners in turn; more are refused, so
 * that nobody who may ask without a key can have more computed than that.
 */
export class PageCache {
  readonly #pages: Shelf<MadePage>;
  readonly #names: LRUCache<string, true>;
  readonly #work = new SharedWork<MadePage>();
  readonly #waiting = new FairQueue<() => void>();
  #underWay = 0;

  constructor(cache: LakeCache) {
    const pages = cache.shelf<MadePage>();
    this.#pages = pages;
    this.#names = new LRUCache({ max: KEPT_MOST, dispose: (_, name) => pages.delete(name) });
  }

  /** @throws (rejects) RefusedError where too many others wait to be computed */
  async page(
    name: string,
    moment: Moment,
    make: (unwanted: AbortSignal) => Promise<MadePage>,
    { owner, gone }: PageAsker,
  ): Promise<PageBytes> {
    const kept = this.#pages.get(name);
    if (kept !== undefined && isStillTrue(kept, moment)) {
      this.#names.get(name);
      return kept.page;
    }
    const turn = (unwanted: AbortSignal): Promise<MadePage> =>
      this.inTurn(() => make(unwanted), { owner, gone: unwanted });
    const made = await this.#work.do(name, turn, gone);
    if (made.version !== null) this.#keep(name, made);
    return made.page;
  }

  #keep(name: string, made: MadePage): void {
    this.#names.set(name, true, { noDisposeOnSet: true });
    this.#pages.set(name, made, 2 * made.page.size); // as it is, and compressed
  }

  /**
   * Makes something that is not kept, as one of the two; not where everybody who asked has gone.
   * @throws (rejects) RefusedError where too many others wait to be computed
   */
  async inTurn<T>(make: () => Promise<T>, { owner, gone }: PageAsker): Promise<T> {
    await this.#turn(owner);
    try {
      gone.throwIfAborted();
      return await make();
    } finally {
      // not at once: between two pages that wait for no thread, other requests have their turn
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
    else next(); // takes this one's place
  }
}
