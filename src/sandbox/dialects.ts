/** Differences of a service from our interface. A missing field means none. */
export interface Dialect {
  /** Our words with the service's, by what they name. */
  readonly platforms?: Readonly<Record<string, string>>;
  readonly periods?: Readonly<Record<string, string>>;
  readonly prefixes?: Readonly<Record<string, string>>;
  readonly ranges?: Readonly<Record<string, string>>;
  /** Selects a page: a page number, an offset, or a cursor in the body or a header. */
  readonly paging?: 'page' | 'offset' | 'cursor' | 'address' | 'link';
  readonly parameter?: string;
  readonly first?: number;
  readonly sizeParameter?: string;
  readonly largest?: number;
  readonly smallest?: number;
  /** True: a larger page is cut. Else it is refused. */
  readonly clamps?: boolean;
  /** Paths of items, total and next cursor in a list; '' for a bare list or no total. */
  readonly items?: string;
  readonly total?: string;
  readonly cursor?: string;
  readonly timeline?: string;
  readonly isFraction?: boolean;
  /** Counts as text. */
  readonly hasTextCounts?: boolean;
  /** Status of a spent quota. */
  readonly spentStatus?: 402 | 403;
  /** Timelines are answered 202 first. */
  readonly isAccepting?: boolean;
  /** Errors do not name the known words. */
  readonly isMute?: boolean;
  /** Unknown query parameters are refused. */
  readonly isStrict?: boolean;
  /** Lists need a time window and a page size. */
  readonly isDemanding?: boolean;
  /** Profiles stand under `data`. */
  readonly isWrapped?: boolean;
  /** Unknown words give an empty list, or an error with status 200. */
  readonly unknown?: 'empty' | 'ok';
}

/** Every dialect of `sandbox --dialect`. They combine; of two that say the same, the later one counts. */
export const DIALECTS: Readonly<Record<string, Dialect>> = {
  words: { platforms: { tiktok: 'tik-tok', instagram: 'reels', youtube: 'shorts' } },
  daily: { periods: { day: 'daily', week: 'weekly', month: 'monthly' } },
  hours: { periods: { day: '24h', week: '7d', month: '30d' } },
  prefixes: { prefixes: { tiktok: 'tk', instagram: 'insta', youtube: 'yts' } },
  ranges: { ranges: { '24h': '1d', '30d': '4w' } },
  offset: { paging: 'offset', parameter: 'offset', first: 0 },
  skip: { paging: 'offset', parameter: 'skip', first: 0, sizeParameter: 'take' },
  zero: { paging: 'page', parameter: 'p', first: 0, sizeParameter: 'per_page' },
  cursor: { paging: 'cursor', parameter: 'cursor', cursor: 'meta.next' },
  token: { paging: 'cursor', parameter: 'pageToken', cursor: 'nextPageToken' },
  address: { paging: 'address', parameter: 'after', cursor: 'links.next' },
  link: { paging: 'link', parameter: 'cursor' },
  small: { largest: 25 },
  clamp: { largest: 40, clamps: true },
  envelope: { items: 'payload.rows', total: 'payload.count' },
  results: { items: 'results', total: 'meta.total' },
  bare: { items: '', total: '' },
  timeline: { timeline: 'payload.curve.samples' },
  fraction: { isFraction: true },
  text: { hasTextCounts: true },
  payment: { spentStatus: 402 },
  forbidden: { spentStatus: 403 },
  accepted: { isAccepting: true },
  mute: { isMute: true },
  strict: { isStrict: true },
  tens: { smallest: 10 },
  demanding: { isDemanding: true },
  wrapped: { isWrapped: true },
  lenient: { unknown: 'empty' },
  okay: { unknown: 'ok' },
};

/** One dialect of several. */
export const combinedDialect = (names: readonly string[]): Dialect =>
  Object.assign({}, ...names.map((name) => DIALECTS[name] ?? {})) as Dialect;
