import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import type { Lake } from '../open.ts';
import { required } from '../prepare.ts';
import { prepared } from '../statements.ts';
import { NumberColumn } from './number-column.ts';

const WIDTH = PLATFORMS.length;

/** A video of a window, or of the one before. */
export type TaggedVideo = [
  platform: Platform,
  isInside: number,
  isBefore: number,
  views: number | null,
  tags: string | null, // keys, by comma
];

const LARGEST_KEY = 'select coalesce(max(key), 0) from hashtag';

/** Videos and their views by hashtag and platform. 60 bytes per hashtag. */
export class TagCounts {
  readonly #size: number;
  readonly #before: Uint32Array;
  readonly #volumes: Uint32Array;
  readonly #views: Float64Array;
  readonly #known: Uint32Array; // videos whose views are known

  constructor(lake: Lake) {
    this.#size = 1 + required(prepared(lake, LARGEST_KEY, 'number').get());
    const slots = WIDTH * this.#size;
    this.#before = new Uint32Array(slots);
    this.#volumes = new Uint32Array(slots);
    this.#views = new Float64Array(slots);
    this.#known = new Uint32Array(slots);
  }

  /** Counts the tags of a video. */
  count([name, isInside, isBefore, views, list]: TaggedVideo): void {
    const platform = PLATFORMS.indexOf(name);
    for (const text of list ? list.split(',') : []) {
      const at = WIDTH * Number(text) + platform;
      if (isBefore === 1) this.#before[at] = (this.#before[at] as number) + 1;
      if (isInside !== 1) continue;
      this.#volumes[at] = (this.#volumes[at] as number) + 1;
      if (views === null) continue;
      this.#views[at] = (this.#views[at] as number) + views;
      this.#known[at] = (this.#known[at] as number) + 1;
    }
  }

  /** Distinct videos with a tag in the window, of all platforms together. */
  volumeOf(key: number): number {
    return this.#sum(this.#volumes, key);
  }

  /** The same in the window before. */
  beforeOf(key: number): number {
    return this.#sum(this.#before, key);
  }

  /** Views of the videos with a tag in the window, of the platform at a position; null where none are known. */
  viewsOf(key: number, platform: number): number | null {
    const at = WIDTH * key + platform;
    return this.#known[at] === 0 ? null : (this.#views[at] as number);
  }

  /** Of each platform the videos with a tag in the window, and their views (NaN: not known). */
  partsOf(key: number): number[] {
    return PLATFORMS.flatMap((_, platform) => [
      this.#volumes[WIDTH * key + platform] as number,
      this.viewsOf(key, platform) ?? Number.NaN,
    ]);
  }

  /** Keys of the tags with a video in the window. */
  inside(): Uint32Array {
    const tags = new NumberColumn(0);
    for (let key = 0; key < this.#size; key++) if (this.volumeOf(key) > 0) tags.push(key);
    return Uint32Array.from(tags.values());
  }

  #sum(counts: Uint32Array, key: number): number {
    let sum = 0;
    for (let at = WIDTH * key; at < WIDTH * (key + 1); at++) sum += counts[at] as number;
    return sum;
  }
}
