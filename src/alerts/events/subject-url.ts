import type { Platform } from '../../../schema/vocabulary.ts';
import type { Subject } from './event.ts';

const part = encodeURIComponent;

const VIDEO: Record<Platform, (id: string, user: string | null) => string | undefined> = {
  youtube: (id) => `https://www.youtube.com/watch?v=${part(id)}`,
  tiktok: (id, user) =>
    user === null ? undefined : `https://www.tiktok.com/@${part(user)}/video/${part(id)}`,
  instagram: () => undefined, // its ids do not contain the address
};

const CREATOR: Record<Platform, (handle: string) => string | undefined> = {
  youtube: () => undefined, // often a display name, not an address
  tiktok: (handle) => `https://www.tiktok.com/@${part(handle)}`,
  instagram: (handle) => `https://www.instagram.com/${part(handle)}/`,
};

const HASHTAG: Record<Platform, (tag: string) => string> = {
  youtube: (tag) => `https://www.youtube.com/hashtag/${part(tag)}`,
  tiktok: (tag) => `https://www.tiktok.com/tag/${part(tag)}`,
  instagram: (tag) => `https://www.instagram.com/explore/tags/${part(tag)}/`,
};

const withUrl = (subject: Omit<Subject, 'url'>, url: string | undefined): Subject =>
  url === undefined ? subject : { ...subject, url };

/** A video as the subject of an event, with its address if the id contains it. */
export const videoSubject = (id: string, platform: Platform, user: string | null): Subject =>
  withUrl({ kind: 'video', id }, VIDEO[platform](id.slice(id.indexOf('_') + 1), user));

/** A creator as the subject of an event, with its address if the handle contains it. */
export const creatorSubject = (handle: string, platform: Platform): Subject =>
  withUrl({ kind: 'creator', id: handle }, CREATOR[platform](handle));

/** A hashtag as the subject of an event; over all platforms it has no address. */
export const hashtagSubject = (tag: string, platform: Platform | null): Subject =>
  withUrl({ kind: 'hashtag', id: tag }, platform === null ? undefined : HASHTAG[platform](tag));
