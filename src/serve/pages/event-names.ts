import { html } from 'hono/html';
import { isObject } from '../../base/json-object.ts';
import type { ContentItem } from '../../base/wire/shapes.ts';
import type { StoredEvent } from '../../lake/lists/event-list.ts';
import type { Lake } from '../../lake/open.ts';
import { eventText } from '../../lake/read/event-sentence.ts';
import { videoByIdAsOf, videoRecord } from '../../lake/read/timeline.ts';
import type { Html } from './html.ts';
import { creatorPath, hashtagPath, linkTo, type PageView, videoPath } from './page-view.ts';

const nameOf = (subject: string): [kind: string, id: string] => {
  const at = subject.indexOf(':');
  return [subject.slice(0, at), subject.slice(at + 1)];
};

/** An event with the subject's video and the reason in words. */
export interface NamedEvent extends StoredEvent {
  /** Null where the event is about no video, or about one that the lake has not. */
  readonly video: ContentItem | null;
  /** The video that the reason mentions; null: none. */
  readonly mentioned: ContentItem | null;
  /** The main number with its meaning; undefined for evidence of another shape. */
  readonly headline: string | undefined;
  readonly why: string;
}

const titled = ({ title, user, id }: ContentItem): string =>
  title ? `“${title}”` : user ? `A video by ${user}` : id;

/** Looks up the videos that an event is about or mentions. */
export const namedEvent = (lake: Lake, event: StoredEvent, at: number): NamedEvent => {
  const videoOf = (id: unknown): ContentItem | null => {
    const found = typeof id === 'string' ? videoByIdAsOf(lake, id, at) : undefined;
    return found === undefined ? null : videoRecord(lake, found.key, at);
  };
  const [kind, id] = nameOf(event.subject);
  const { evidence } = isObject(event.data) ? event.data : {};
  const mentioned = isObject(evidence) ? videoOf(evidence.video) : null;
  const data =
    mentioned === null || !isObject(event.data) || !isObject(evidence)
      ? event.data
      : { ...event.data, evidence: { ...evidence, video: titled(mentioned) } };
  const { headline, detail } = eventText(event.kind, data);
  return {
    ...event,
    video: kind === 'video' ? videoOf(id) : null,
    mentioned,
    headline,
    why: detail,
  };
};

/** Link to the page of an event's subject; plain text where it has no page. */
export const subjectLink = (view: PageView, { subject, platform, video }: NamedEvent): Html => {
  const [kind, id] = nameOf(subject);
  const link = (path: string, text: string): Html =>
    html`<a dir="auto" href="${linkTo(view, path)}">${text}</a>`;
  if (kind === 'video') return link(videoPath(id), video?.title || id);
  if (kind === 'creator' && platform !== null) return link(creatorPath(platform, id), `@${id}`);
  if (kind === 'hashtag') return link(hashtagPath(id), `#${id}`);
  return html`<span dir="auto">${kind === 'niche' ? id.replaceAll('+', ' + ') : id}</span>`;
};
