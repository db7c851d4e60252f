import { gzipSync } from 'node:zlib';
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
export class Page {
  readonly #plain: Buffer<ArrayBuffer>;
  #gzipped: Buffer<ArrayBuffer> | undefined;

  constructor(html: string) {
    this.#plain = Buffer.from(html);
  }

  get size(): number {
    return this.#plain.length;
  }

  bytes(gzip: boolean): Buffer<ArrayBuffer> {
    if (!gzip) return this.#plain;
    this.#gzipped ??= gzipSync(this.#plain);
    return this.#gzipped;
  }
}

/** A page made from the lake, and the moments it is true at. */
export interface MadePage extends Validity {
  readonly page: Page;
}

/** Pages that are computed at once. */
const AT_ONCE = 2;

/**
 * Pages made from the lake, from memory while they are still true. Two are computed at once, equal
 * ones wanted at the same time once; more are refused, not queued, so that nobody who may ask without
 * a key can have more computed than that.
 */
export class PageCache {
  readonly #pages: Shelf<MadePage>;
  readonly #work = new SharedWork<MadePage>();
  #underWay = 0;

  constructor(cache: LakeCache) {
    this.#pages = cache.shelf();
  }

  /** @throws (rejects) RefusedError where as many others are being computed */
  async page(
    name: string,
    moment: Moment,
    make: (unwanted: AbortSignal) => Promise<MadePage>,
    gone: AbortSignal,
  ): Promise<Page> {
    const kept = this.#pages.get(name);
    if (kept !== undefined && isStillTrue(kept, moment)) return kept.page;
    const made = await this.#work.do(name, (unwanted) => this.#inTurn(make, unwanted), gone);
    if (made.version !== null) this.#pages.set(name, made, 2 * made.page.size);
    return made.page;
  }

  async #inTurn(
    make: (unwanted: AbortSignal) => Promise<MadePage>,
    unwanted: AbortSignal,
  ): Promise<MadePage> {
    if (this.#underWay >= AT_ONCE)
      throw new RefusedError(
        'unavailable',
        `${AT_ONCE} pages are being computed already. Try again in a moment.`,
        { headers: { 'retry-after': '1' } },
      );
    this.#underWay += 1;
    try {
      return await make(unwanted);
    } finally {
      this.#underWay -= 1;
    }
  }
}
