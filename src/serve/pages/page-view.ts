import { isoOf } from '../../base/iso.ts';
import { plainHandle } from '../../base/wire/folding.ts';

/** Who reads a page: whoever is on this machine, the holder of a key, or anybody. */
export type PageReader = 'operator' | 'public' | { readonly keyId: string };

/** What one page is shown for: its address, its instant and its reader. */
export interface PageView {
  /** Of the address, without a query: `/trends/tiktok`. */
  readonly path: string;
  /** The parameters as asked, but for `asOf`: what links within the page keep. */
  readonly query: Readonly<Record<string, string>>;
  /** The instant shown, Unix ms; to the minute where it was asked for. */
  readonly at: number;
  /** The instant was asked for: every link carries it on. */
  readonly isPast: boolean;
  /** The service's present, Unix ms. */
  readonly now: number;
  readonly reader: PageReader;
  /** Of the lake, as open pages are told of it. */
  readonly version: string;
  /** Newest snapshot of any video at the instant shown, Unix ms; null: an empty lake, or nothing by then. */
  readonly newestSnapshot: number | null;
}

/** What a link changes of a query; undefined leaves a parameter out. */
export type QueryChange = Readonly<Record<string, string | number | undefined>>;

/** An instant as addresses carry it: ISO 8601 to the minute. */
export const instantText = (at: number): string => `${isoOf(at).slice(0, 16)}Z`;

const addressOf = (path: string, query: QueryChange): string => {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)] as [string, string]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
};

/** The address of a page at the instant of this one. `path` is given encoded. */
export const linkTo = (view: PageView, path: string, query: QueryChange = {}): string =>
  addressOf(path, { ...query, asOf: view.isPast ? instantText(view.at) : undefined });

/** The address of this page with some parameters changed. A change leads to the first page of its list. */
export const linkHere = (view: PageView, changes: QueryChange): string =>
  linkTo(view, view.path, { ...view.query, page: undefined, ...changes });

/** The address of this page at another instant (Unix ms; undefined: the present). */
export const linkAt = (view: PageView, at: number | undefined): string =>
  addressOf(view.path, {
    ...view.query,
    page: undefined,
    asOf: at === undefined ? undefined : instantText(at),
  });

/** Path of a video's page. */
export const videoPath = (id: string): string => `/videos/${encodeURIComponent(id)}`;
/** Path of a creator's page. */
export const creatorPath = (platform: string, handle: string): string =>
  `/creators/${platform}/${encodeURIComponent(plainHandle(handle))}`;
/** Path of a hashtag's page. */
export const hashtagPath = (tag: string): string => `/hashtags/${encodeURIComponent(tag)}`;
