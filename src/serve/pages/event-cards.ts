import { html } from 'hono/html';
import type { EventDelivery } from '../../alerts/webhooks/deliveries.ts';
import { DAY_MS } from '../../base/durations.ts';
import { isoOf } from '../../base/iso.ts';
import { isObject } from '../../base/json-object.ts';
import type { ContentItem } from '../../base/wire/shapes.ts';
import type { StoredEvent } from '../../lake/lists/event-list.ts';
import type { Lake } from '../../lake/open.ts';
import { eventText } from '../../lake/read/event-sentence.ts';
import { KIND_WORDS } from '../../lake/read/subject-name.ts';
import { videoByIdAsOf, videoRecord } from '../../lake/read/timeline.ts';
import { videoSpark } from './chart.ts';
import { digits, PLATFORM_NAMES, sinceText } from './figures.ts';
import { type Html, NOTHING } from './html.ts';
import { creatorPath, hashtagPath, linkTo, type PageView, videoPath } from './page-view.ts';

const nameOf = (subject: string): [kind: string, id: string] => {
  const at = subject.indexOf(':');
  return [subject.slice(0, at), subject.slice(at + 1)];
};

/** An event with the subject's video and the reason in words. */
export interface NamedEvent extends StoredEvent {
  /** Null if the event is not about a video, or the lake does not have it. */
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

/** Link to the page of an event's subject; plain text if it has no page. */
const subjectLink = (view: PageView, { subject, platform, video }: NamedEvent): Html => {
  const [kind, id] = nameOf(subject);
  const link = (path: string, text: string): Html =>
    html`<a dir="auto" href="${linkTo(view, path)}">${text}</a>`;
  if (kind === 'video') return link(videoPath(id), video?.title || id);
  if (kind === 'creator' && platform !== null) return link(creatorPath(platform, id), `@${id}`);
  if (kind === 'hashtag') return link(hashtagPath(id), `#${id}`);
  return html`<span dir="auto">${kind === 'niche' ? id.replaceAll('+', ' + ') : id}</span>`;
};

export interface EventRow extends NamedEvent {
  /** Null: the reader cannot see deliveries. */
  readonly deliveries: readonly EventDelivery[] | null;
}

const deliveryText = (view: PageView, delivery: EventDelivery): Html => {
  const { origin, state, attempts, deliveredAt, error } = delivery;
  const tries = attempts > 1 ? `, ${digits(attempts)} tries` : '';
  return html`<li><span class="outcome ${state}">${state}</span> to <bdi>${origin}</bdi> <span class="soft">${deliveredAt === null ? '' : sinceText(deliveredAt, view.at)}${tries}</span>${error === null || state === 'delivered' ? '' : html` <span class="down"><bdi>${error}</bdi></span>`}</li>`;
};

const deliveredText = (view: PageView, { deliveries }: EventRow): Html => {
  if (deliveries === null || deliveries.length === 0) return NOTHING;
  return html`<ul class="plain small deliveries">${deliveries.map((delivery) => deliveryText(view, delivery))}</ul>`;
};

/** Growth of the event's video until the view's instant. */
const curveOf = (lake: Lake, { video, mentioned }: EventRow, { at }: PageView): Html => {
  const { id } = video ?? mentioned ?? {};
  return id === undefined ? NOTHING : videoSpark(lake, id, at);
};

/** Link to the creator of the event's video, or to the video that a creator's event mentions. */
const besides = (view: PageView, { video, mentioned }: EventRow): Html => {
  if (mentioned !== null)
    return html` <a class="soft small" href="${linkTo(view, videoPath(mentioned.id))}">the video</a>`;
  return video === null || video.user === null || video.user === ''
    ? NOTHING
    : html` <a class="soft small" dir="auto" href="${linkTo(view, creatorPath(video.platform, video.user))}">${video.user}</a>`;
};

const card = (lake: Lake, view: PageView, event: EventRow): Html => {
  const { kind, platform, occurredAt, headline, why, origin } = event;
  const where = platform === null ? '' : ` · ${PLATFORM_NAMES[platform]}`;
  const by = origin === 'upstream' ? ' · reported by the API' : '';
  return html`<li class="event"><p class="soft small"><time datetime="${isoOf(occurredAt)}">${isoOf(occurredAt).slice(11, 16)}</time> · <span class="kind">${KIND_WORDS[kind]}</span>${where}${by}</p>
<h4>${headline ?? why}</h4>${curveOf(lake, event, view)}
<p class="subject">${subjectLink(view, event)}${besides(view, event)}</p>
${headline === undefined ? NOTHING : html`<p class="why soft">${why}</p>`}${deliveredText(view, event)}</li>`;
};

/** Events in one line each, for pages with other lists. */
export const eventLines = (view: PageView, events: readonly NamedEvent[]): Html =>
  html`<ul class="plain noticed">${events.map(
    (event) =>
      html`<li title="${event.why}"><b>${event.headline ?? KIND_WORDS[event.kind]}</b> <span class="soft small">${sinceText(event.occurredAt, view.at)}</span><br>${subjectLink(view, event)} <span class="soft small">${KIND_WORDS[event.kind]}</span></li>`,
  )}</ul>`;

const dayName = (day: string, { at, isPast }: PageView): string => {
  if (isPast) return day;
  if (day === isoOf(at).slice(0, 10)) return `Today, ${day}`;
  return day === isoOf(at - DAY_MS).slice(0, 10) ? `Yesterday, ${day}` : day;
};

/** Events as cards, in their order, under their days (UTC). */
export const eventCards = (lake: Lake, view: PageView, events: readonly EventRow[]): Html => {
  const days = Map.groupBy(events, ({ occurredAt }) => isoOf(occurredAt).slice(0, 10));
  return html`${[...days].map(
    ([day, ofDay]) =>
      html`<h3 class="day">${dayName(day, view)} <span class="soft small">UTC</span></h3><ul class="plain events">${ofDay.map((event) => card(lake, view, event))}</ul>`,
  )}`;
};
