import { isoOf } from '../../base/iso.ts';
import { plainHandle } from '../../base/wire/folding.ts';
import type { TimeMarks } from '../../lake/read/time-marks.ts';

/** Reader of a page: on this machine (`operator`), with a key, or anonymous. */
export type PageReader = 'operator' | 'public' | { readonly keyId: string };

/** Job that data of a page comes from. */
export type SourceJob = 'feed' | 'trends' | 'hashtags' | 'growth';

export interface PageView {
  /** Without the query: `/trends/tiktok`. */
  readonly path: string;
  /** Given parameters without `asOf`. Links within the page keep them. */
  readonly query: Readonly<Record<string, string>>;
  /** Shown instant, Unix ms; a requested one is rounded down to the minute. */
  readonly at: number;
  /** True for a requested instant, which every link keeps. */
  readonly isPast: boolean;
  /** Current time, Unix ms. */
  readonly now: number;
  readonly reader: PageReader;
  /** True if the reader may add watches. */
  readonly mayWatch: boolean;
  /** Version of the lake for live updates. */
  readonly version: string;
  /** Tags of watches that the reader may choose from. Empty for anonymous readers. */
  readonly tags: readonly string[];
  /** Instants that the time bar leads to. */
  readonly marks: () => TimeMarks;
  /** Newest snapshot of any video at `at`, Unix ms. Null: no data by then. */
  readonly newestSnapshot: number | null;
  /** True if data of a job is as new as its schedule says, by the rule of /pipeline. */
  readonly isFresh: (job: SourceJob, dataAt: number) => boolean;
}

/** Changes to a query; undefined removes a parameter. */
export type QueryChange = Readonly<Record<string, string | number | undefined>>;

/** ISO 8601 to the minute, for addresses. */
export const instantText = (at: number): string => `${isoOf(at).slice(0, 16)}Z`;

const addressOf = (path: string, query: QueryChange): string => {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)] as [string, string]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
};

/** Address of another page at the same instant and for the same tag. `path` must be encoded. */
export const linkTo = (view: PageView, path: string, query: QueryChange = {}): string =>
  addressOf(path, {
    tag: view.query.tag,
    ...query,
    asOf: view.isPast ? instantText(view.at) : undefined,
  });

/** Address of this page with changed parameters, on the first page of its list. */
export const linkHere = (view: PageView, changes: QueryChange): string =>
  linkTo(view, view.path, { ...view.query, page: undefined, ...changes });

/** Address of this page at another instant (Unix ms; undefined: now). */
export const linkAt = (view: PageView, at: number | undefined): string =>
  addressOf(view.path, {
    ...view.query,
    page: undefined,
    asOf: at === undefined ? undefined : instantText(at),
  });

export const videoPath = (id: string): string => `/videos/${encodeURIComponent(id)}`;
export const creatorPath = (platform: string, handle: string): string =>
  `/creators/${platform}/${encodeURIComponent(plainHandle(handle))}`;
export const hashtagPath = (tag: string): string => `/hashtags/${encodeURIComponent(tag)}`;
