import { PLATFORM_PREFIXES, type Platform, type WatchKind } from '../../../schema/vocabulary.ts';
import { UsageError } from '../../base/errors.ts';
import { cleanTag, platformOfId } from '../../base/wire/fields.ts';
import { foldHandle, foldName } from '../../base/wire/folding.ts';

/** Subject of a watch. `platform` is null for hashtags and searches on all platforms. */
export interface WatchSubject {
  readonly kind: WatchKind;
  readonly platform: Platform | null;
  /** Folded handle, video id, folded tag, or search words. */
  readonly subject: string;
}

/** Result of reading a subject. A handle alone may exist on several platforms, so its platform is open. */
export type ParsedSubject = WatchSubject | { readonly kind: 'handle'; readonly subject: string };

const LONGEST_SEARCH = 200;
const VIDEO_ID = /^(tt|ig|yt)_[\w.-]{1,100}$/;
const HANDLE = /^[\p{L}\p{N}._-]{1,100}$/u;

const video = (platform: Platform, id: string): WatchSubject => ({
  kind: 'video',
  platform,
  subject: `${PLATFORM_PREFIXES[platform]}_${id}`,
});

const creator = (platform: Platform, handle: string): WatchSubject => ({
  kind: 'creator',
  platform,
  subject: foldHandle(handle),
});

/** Paths of Instagram that are not profiles. */
const NOT_HANDLES = new Set(['explore', 'accounts', 'stories', 'direct', 'about', 'reels', 'p']);

const ofTiktok = ({ pathname }: URL): WatchSubject | undefined => {
  const id =
    /^\/@[^/]+\/(?:video|photo)\/(\d+)/.exec(pathname)?.[1] ??
    /^\/(?:v|embed|embed\/v2|player\/v1)\/(\d+)/.exec(pathname)?.[1];
  if (id !== undefined) return video('tiktok', id);
  const tag = /^\/tag\/([^/]+)/.exec(pathname)?.[1];
  if (tag !== undefined) return hashtag(decodeURIComponent(tag), 'tiktok');
  const handle = /^\/@([^/]+)\/?$/.exec(pathname)?.[1];
  return handle === undefined ? undefined : creator('tiktok', decodeURIComponent(handle));
};

const ofInstagram = ({ pathname }: URL): WatchSubject | undefined => {
  const id = /^\/(?:[^/]+\/)?(?:reel|reels|p|tv)\/([\w-]+)/.exec(pathname)?.[1];
  if (id !== undefined) return video('instagram', id);
  const tag = /^\/explore\/tags\/([^/]+)/.exec(pathname)?.[1];
  if (tag !== undefined) return hashtag(decodeURIComponent(tag), 'instagram');
  const handle = /^\/([\w.]+)\/?(?:reels\/?)?$/.exec(pathname)?.[1];
  return handle === undefined || NOT_HANDLES.has(handle) ? undefined : creator('instagram', handle);
};

const ofYoutube = ({ pathname, searchParams, hostname }: URL): WatchSubject | undefined => {
  const id = hostname.endsWith('youtu.be')
    ? /^\/([\w-]{6,})/.exec(pathname)?.[1]
    : pathname === '/watch'
      ? searchParams.get('v')
      : /^\/(?:shorts|embed|live|v)\/([\w-]{6,})/.exec(pathname)?.[1];
  if (id !== undefined && id !== null) return video('youtube', id);
  const tag = /^\/hashtag\/([^/]+)/.exec(pathname)?.[1];
  if (tag !== undefined) return hashtag(decodeURIComponent(tag), 'youtube');
  const handle = /^\/@([^/]+)/.exec(pathname)?.[1];
  return handle === undefined ? undefined : creator('youtube', decodeURIComponent(handle));
};

const SITES: readonly (readonly [RegExp, (url: URL) => WatchSubject | undefined])[] = [
  [/(^|\.)tiktok\.com$/, ofTiktok],
  [/(^|\.)instagram\.com$/, ofInstagram],
  [/(^|\.)(youtube\.com|youtu\.be|youtube-nocookie\.com)$/, ofYoutube],
];

const SHORT_LINK = /^(?:vm|vt)\.tiktok\.com$|^(?:www\.)?tiktok\.com\/t\//;

const ofUrl = (text: string): WatchSubject => {
  const url = new URL(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  if (SHORT_LINK.test(`${url.hostname}${SHORT_LINK.test(url.hostname) ? '' : url.pathname}`))
    throw new UsageError(
      `${text} is a short link, which only TikTok can resolve. Open it and use the address that the browser then shows.`,
    );
  const [, read] = SITES.find(([host]) => host.test(url.hostname)) ?? [];
  const found = read?.(url);
  if (found !== undefined) return found;
  throw new UsageError(
    `${text} is not the address of a video, creator or hashtag on TikTok, Instagram or YouTube. Use such an address, an id such as tt_7240348510065823002, @handle, #tag or search words with --search.`,
  );
};

const hashtag = (tag: string, platform: Platform | null): WatchSubject => {
  const subject = foldName(cleanTag(tag));
  if (subject === '' || /\s/.test(subject))
    throw new UsageError(
      `"${tag}" is not a hashtag: a hashtag has no blanks. Use --search for words.`,
    );
  return { kind: 'hashtag', platform, subject };
};

const search = (words: string, platform: Platform | null): WatchSubject => {
  const subject = words.trim().replace(/\s+/g, ' ');
  if (subject === '' || subject.length > LONGEST_SEARCH)
    throw new UsageError(
      `A search has 1 to ${LONGEST_SEARCH} characters. This one has ${subject.length}.`,
    );
  return { kind: 'search', platform, subject };
};

const isAddress = (text: string): boolean =>
  /^https?:\/\//i.test(text) ||
  /^(?:[\w-]+\.)*(?:tiktok\.com|instagram\.com|youtube\.com|youtu\.be)\//i.test(text);

/**
 * Reads a subject as people write it: `@handle`, a video id or URL, `#tag`, or search words.
 * @throws UsageError saying which forms exist
 */
export const parseSubject = (
  text: string,
  { platform = null, isSearch = false }: { platform?: Platform | null; isSearch?: boolean } = {},
): ParsedSubject => {
  const trimmed = text.trim();
  if (isSearch) return search(trimmed, platform);
  if (isAddress(trimmed)) return ofUrl(trimmed);
  if (VIDEO_ID.test(trimmed)) {
    const of = platformOfId(trimmed);
    if (of !== undefined) return { kind: 'video', platform: of, subject: trimmed };
  }
  if (trimmed.startsWith('#')) return hashtag(trimmed, platform);
  if (trimmed.startsWith('@')) {
    const handle = foldHandle(trimmed);
    if (!HANDLE.test(handle))
      throw new UsageError(
        `"${trimmed}" is not a handle: it has letters, digits, dots, dashes and underscores.`,
      );
    return platform === null ? { kind: 'handle', subject: handle } : creator(platform, handle);
  }
  if (/\s/.test(trimmed)) return search(trimmed, platform);
  throw new UsageError(
    `"${text}" could be a handle or a search. Write @${trimmed} for a creator, #${trimmed} for a hashtag, or add --search for words.`,
  );
};
