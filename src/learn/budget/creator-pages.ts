/** Newest tracked videos of a creator with their own chance. Later ones count as not shown. */
export const SHOWN_RANKS = 64;

/** Chance that a creator call shows the r-th newest tracked video. */
export interface CreatorShowing {
  readonly chance: Float64Array;
}

/** Result of one past creator call. */
export interface PageSeen {
  /** The creator's tracked videos at that time. */
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
  const shown = Float64Array.from(
    { length: SHOWN_RANKS },
    (_, rank) => BELIEVED(rank) * BELIEF_PAGES,
  );
  const could = new Float64Array(SHOWN_RANKS).fill(BELIEF_PAGES);
  for (const page of pages) {
    for (let rank = 0; rank < Math.min(SHOWN_RANKS, page.tracked); rank++)
      could[rank] = (could[rank] ?? 0) + 1;
    for (const rank of page.shown) if (rank < SHOWN_RANKS) shown[rank] = (shown[rank] ?? 0) + 1;
  }
  return { chance: shown.map((count, rank) => Math.min(1, count / (could[rank] ?? 1))) };
};

export interface PageOdds {
  /** [rank]: chance that a call for the creator shows the video. */
  readonly chance: Float32Array;
  /** By rank, and how many videos the creator has: how often the price is halved by the others. */
  readonly halvings: (rank: number, videos: number) => number;
}

/** Share of the videos a page shows whose refresh is also wanted at that moment. */
const WANTED_SHARE = 0.5;
export const MOST_HALVINGS = 4;

/** Chances of videos by rank, and the price a refresh has for one when it comes with others. */
export const pageOdds = (showing: CreatorShowing): PageOdds => {
  const chance = Float32Array.from(showing.chance);
  const halved = new Uint8Array(SHOWN_RANKS + 1);
  let expected = 0;
  for (let videos = 1; videos <= SHOWN_RANKS; videos++) {
    expected += showing.chance[videos - 1] ?? 0;
    const halvings = Math.min(MOST_HALVINGS, Math.floor(Math.log2(expected * WANTED_SHARE)));
    halved[videos] = Math.max(0, halvings);
  }
  return {
    chance,
    halvings: (rank, videos) =>
      (chance[rank] ?? 0) > 0.5 ? (halved[Math.min(videos, SHOWN_RANKS)] ?? 0) : 0,
  };
};
