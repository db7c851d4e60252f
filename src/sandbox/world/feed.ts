import { DAY_MS, SECOND_MS } from '../../base/durations.ts';
import { loadObservations } from '../../ingest/imports/observations.ts';
import { loadHashtagList } from '../../ingest/responses/hashtag-list.ts';
import type { WordsIndexed } from '../../ingest/writers/loader.ts';
import type { Lake } from '../../lake/open.ts';
import { hashtagsOfWorld, TAG_WINDOWS, type TagWindow } from './hashtag-lists.ts';
import type { World } from './world.ts';

/** Days of the world's past that a sandbox's lake holds when it starts. */
export const PAST_DAYS = 32;
/** The lists of a midnight are there when the last of them is. */
const LISTS_TAKE_MS = (Object.keys(TAG_WINDOWS).length - 1) * SECOND_MS;

/**
 * The lists of hashtags that the service behind the sandbox makes at each UTC midnight, over all the
 * world's videos: the lake's memory begins too late to count the month before. A second apart, because
 * a tag has one figure an instant.
 */
const loadTagLists = (
  lake: Lake,
  world: World,
  { midnight, words }: { midnight: number; words: WordsIndexed },
): void => {
  for (const [index, window] of Object.keys(TAG_WINDOWS).entries()) {
    const items = hashtagsOfWorld(world, midnight, window as TagWindow);
    const at = midnight + index * SECOND_MS;
    loadHashtagList(lake, { platform: '', window, at, total: items.length, items }, words);
  }
};

/**
 * Fills a lake from a world, as far as it has been asked to. What the lake holds at an instant
 * depends on the world and on the UTC day of `startAt` alone, whatever the steps in between.
 */
export class WorldFeed {
  readonly #lake: Lake;
  readonly #world: World;
  readonly #words: WordsIndexed;
  readonly #fromAt: number;
  #fedTo: number;
  #nextListAt: number;

  /** @param words when they are put into the search index: with each midnight's lists, or by somebody else */
  constructor(lake: Lake, world: World, startAt: number, words: WordsIndexed) {
    const startDay = Math.floor(startAt / DAY_MS);
    this.#lake = lake;
    this.#world = world;
    this.#words = words;
    this.#fromAt = (startDay - PAST_DAYS) * DAY_MS;
    this.#fedTo = this.#fromAt;
    this.#nextListAt = startDay * DAY_MS;
  }

  /** Brings the lake up to an instant (Unix ms); costs nothing when that second was reached. */
  advanceTo(at: number): void {
    const toAt = Math.floor(at / SECOND_MS) * SECOND_MS; // the world is observed at whole seconds
    if (toAt <= this.#fedTo) return;
    for (const batch of this.#world.observationsBetween(this.#fedTo, toAt, this.#fromAt))
      loadObservations(this.#lake, batch);
    for (; this.#nextListAt + LISTS_TAKE_MS <= toAt; this.#nextListAt += DAY_MS)
      loadTagLists(this.#lake, this.#world, { midnight: this.#nextListAt, words: this.#words });
    this.#fedTo = toAt;
  }
}
