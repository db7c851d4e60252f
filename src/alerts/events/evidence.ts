// Evidence of the events that trendlake detects, as detectors write it and the library types it.

/** A video gained views faster than before and than expected at its age. */
export type PaceEvidence = {
  readonly rule: 'pace';
  readonly views: number;
  readonly viewsBefore: number;
  readonly gain: number;
  readonly viewsPerHour: number;
  readonly ownViewsPerHour: number;
  readonly expectedViewsPerHour: number;
  readonly ratio: number;
  readonly bend: number | null;
  readonly ageHours: number | null;
  readonly snapshots: number;
  readonly source: string | null;
};

/** The forecast of a video reached the threshold. Probabilities are between 0 and 1. */
export type ForecastEvidence = {
  readonly rule: 'forecast';
  readonly topProbability: number;
  readonly threshold: number;
  readonly samples: number;
  readonly viewsIn24h: number | null;
  readonly viewsIn24hLow: number | null;
  readonly viewsIn24hHigh: number | null;
  readonly views: number;
  readonly viewsBefore: number;
  readonly gain: number;
  readonly viewsPerHour: number;
  readonly ageHours: number | null;
  readonly source: string | null;
};

/** Usual level of a creator: their own median, or that of the platform's videos. */
export type UsualEvidence =
  | { readonly median: number; readonly videos: number; readonly timesMedian?: number }
  | { readonly cohortViews99: number; readonly cohortVideos: number };

/** A video of a creator passed a multiple of their usual views. */
export type VideoEvidence = UsualEvidence & {
  readonly reason: 'video';
  readonly video: string;
  readonly views: number;
  readonly viewsBefore: number;
  readonly bar: number;
  readonly source: string | null;
};

/** A creator reached the top of a list for the first time. */
export type TopEvidence = {
  readonly reason: 'top';
  readonly video: string;
  readonly list: string;
  readonly rank: number;
  readonly topRank: number;
  readonly watchedDays: number;
};

/** More videos use a hashtag than usual. */
export type VolumeEvidence = {
  readonly measure: 'volume';
  readonly volume: number;
  readonly usual: number;
  readonly ratio: number;
  readonly snapshots: number;
};

/** The videos of a hashtag gain more views a day than usual. */
export type ViewsEvidence = {
  readonly measure: 'views';
  readonly views: number;
  readonly gain: number;
  readonly viewsPerDay: number;
  readonly usualPerDay: number;
  readonly ratio: number;
  readonly snapshots: number;
};

/** Hashtags that occur together take a larger share of a list. Shares are between 0 and 1. */
export type NicheEvidence = {
  readonly list: string;
  readonly tags: readonly string[];
  readonly videos: number;
  readonly creators: number;
  readonly share: number;
  readonly usualShare: number;
  readonly ratio: number;
  readonly listed: number;
  readonly snapshots: number;
};

/** Evidence by kind of event. */
export type EvidenceOf = {
  readonly 'trend.spike': PaceEvidence | ForecastEvidence;
  readonly 'creator.viral': VideoEvidence | TopEvidence;
  readonly 'hashtag.rising': VolumeEvidence | ViewsEvidence;
  readonly 'niche.breakout': NicheEvidence;
};
