import type { TrackedColumns } from './tracked.ts';

/** Tracked videos grouped by creator, each creator's newest first. */
export interface CreatorPages {
  /** Video numbers; creator c has those from start[c] up to start[c + 1]. */
  readonly videos: Int32Array;
  readonly start: Int32Array;
}

/** Groups videos by creator. Videos without a known creator are left out. */
export const creatorPages = ({ length, creator, createdAt }: TrackedColumns): CreatorPages => {
  let creators = 0;
  for (let i = 0; i < length; i++) creators = Math.max(creators, (creator[i] ?? -1) + 1);
  const start = new Int32Array(creators + 1);
  for (let i = 0; i < length; i++) {
    const owner = creator[i] ?? -1;
    if (owner >= 0) start[owner + 1] = (start[owner + 1] ?? 0) + 1;
  }
  for (let c = 0; c < creators; c++) start[c + 1] = (start[c + 1] ?? 0) + (start[c] ?? 0);
  const filled = start.slice();
  const videos = new Int32Array(start[creators] ?? 0);
  for (let i = 0; i < length; i++) {
    const owner = creator[i] ?? -1;
    if (owner < 0) continue;
    videos[filled[owner] ?? 0] = i;
    filled[owner] = (filled[owner] ?? 0) + 1;
  }
  const newestFirst = (a: number, b: number): number =>
    (createdAt[b] ?? 0) - (createdAt[a] ?? 0) || a - b;
  for (let c = 0; c < creators; c++) {
    const end = start[c + 1] ?? 0;
    if (end - (start[c] ?? 0) > 1) videos.subarray(start[c], end).sort(newestFirst);
  }
  return { videos, start };
};

/** How many of a creator's newest tracked videos are told apart; those after count as not shown. */
const RANKS = 64;

/** What a creator call is expected to show: the chance that it shows the r-th newest tracked video. */
export interface CreatorShowing {
  readonly chance: Float64Array;
}

/** What one past creator call showed. */
export interface PageSeen {
  /** How many of the creator's videos were tracked when it was made. */
  readonly tracked: number;
  /** Positions (0 = newest) of the tracked videos it showed a count of. */
  readonly shown: readonly number[];
}

/** Before any creator call was made, one is believed to show most of the newest ten. */
const BELIEVED = (rank: number): number => (rank < 10 ? 0.7 : 0.2);
/** So many pages weigh as much as that belief. */
const BELIEF_PAGES = 5;

/**
 * Learns what creator calls show from what they showed: per rank among the creator's tracked
 * videos, pages that showed it over pages that could have (Laplace's rule, with a belief before the
 * first).
 */
export const learnShowing = (pages: Iterable<PageSeen>): CreatorShowing => {
  const shown = Float64Array.from({ length: RANKS }, (_, rank) => BELIEVED(rank) * BELIEF_PAGES);
  const could = new Float64Array(RANKS).fill(BELIEF_PAGES);
  for (const page of pages) {
    for (let rank = 0; rank < Math.min(RANKS, page.tracked); rank++)
      could[rank] = (could[rank] ?? 0) + 1;
    for (const rank of page.shown) if (rank < RANKS) shown[rank] = (shown[rank] ?? 0) + 1;
  }
  return { chance: shown.map((count, rank) => Math.min(1, count / (could[rank] ?? 1))) };
};

/** How a video profits from its creator's page. */
export interface PageChances {
  /** [video]: chance that a call for its creator shows it. */
  readonly chance: Float32Array;
  /** [video]: how often the price of a refresh is halved because it comes with others. */
  readonly halvings: Uint8Array;
}

/** Share of the videos a page shows whose refresh is also wanted at that moment. */
const WANTED_SHARE = 0.5;
export const MOST_HALVINGS = 4;

/** Chances of every video, and the price a refresh has for it when it comes with others. */
export const pageChances = (
  length: number,
  { videos, start }: CreatorPages,
  showing: CreatorShowing,
): PageChances => {
  const chance = new Float32Array(length);
  const halvings = new Uint8Array(length);
  for (let c = 0; c + 1 < start.length; c++) {
    const from = start[c] ?? 0;
    const end = Math.min(start[c + 1] ?? 0, from + RANKS);
    let expected = 0;
    for (let at = from; at < end; at++) expected += showing.chance[at - from] ?? 0;
    const halved = Math.min(MOST_HALVINGS, Math.floor(Math.log2(expected * WANTED_SHARE)));
    for (let at = from; at < end; at++) {
      const video = videos[at] ?? 0;
      chance[video] = showing.chance[at - from] ?? 0;
      if ((chance[video] ?? 0) > 0.5) halvings[video] = Math.max(0, halved);
    }
  }
  return { chance, halvings };
};
